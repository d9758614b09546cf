/* A sender that repeats a message until it is acknowledged, over a wire that may lose it.
   Expected: no deadlock; `delivered` fails, because the wire may lose every copy. */

mtype = { data, ack };
chan to_receiver = [1] of { mtype };
chan to_sender = [1] of { mtype };
bool finished;

active proctype Sender() {
  to_receiver!data;
  do
  :: to_sender?ack -> break
  :: timeout -> to_receiver!data          /* nothing else can move: send it again */
  od;
  finished = true
}

active proctype Wire() {
end:
  do
  :: to_receiver?data ->
     if
     :: skip                              /* lost */
     :: to_sender!ack
     fi
  od
}

ltl delivered { <> finished }
