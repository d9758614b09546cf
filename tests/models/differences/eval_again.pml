/* SPIN evaluates eval(…) again to take a receive back: by then the channel is shorter. */
chan c = [1] of { byte };
active proctype Receiver() { c?eval(len(c)) }
active proctype Sender() { c!1 }
