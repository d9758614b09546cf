/* A client and a server that ask and answer without a buffer. Expected: no deadlock, and every request is answered. */

mtype = { request, reply };
chan wire = [0] of { mtype };
bool waiting;

active proctype Client() {
  do
  :: wire!request;
     waiting = true;
     wire?reply;
     waiting = false
  od
}

active proctype Server() {
end:
  do
  :: wire?request -> wire!reply
  od
}

ltl answered { [] (waiting -> <> !waiting) }
