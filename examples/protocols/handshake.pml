/*
 * A request and an answer over buffered channels, with the order of the messages stated as a trace.
 *
 * Shows: a trace assertion, a progress label, a never claim.
 * Expected: no deadlock; every request is followed by its answer before the next request, every endless run makes
 * progress, and the never claim (an answer nobody asked for) finds nothing.
 */

mtype = { request, answer };

chan toServer = [2] of { mtype };
chan toClient = [2] of { mtype };
bool asked;

active proctype Client() {
  do
  :: atomic { toServer!request; asked = true };
     atomic { toClient?answer; asked = false };
progress:
     skip
  od
}

active proctype Server() {
end:
  do
  :: toServer?request -> toClient!answer
  od
}

trace {
  do
  :: toServer!request; toClient!answer
  od
}

never {
  do
  :: len(toClient) > 0 && !asked -> break
  :: else
  od
}
