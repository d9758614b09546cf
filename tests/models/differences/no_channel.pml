/* The parameter of an active process is 0, which is no channel. SPIN does not notice if all channels are rendezvous. */
chan c = [0] of { byte };
active proctype Receiver(chan p) { p?1 }
