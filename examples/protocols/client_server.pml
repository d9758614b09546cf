/*
 * Clients ask a server over a rendezvous channel, and each brings the channel for its answer along.
 *
 * Shows: rendezvous, channels in messages, an `end` label: a server that waits for ever is no deadlock.
 * Expected: no assertion fails, no deadlock.
 */

#define CLIENTS 3

chan request = [0] of { chan, byte };

active proctype Server() {
  chan reply;
  byte number;
end:
  do
  :: request?reply, number -> reply!number + 1
  od
}

active [CLIENTS] proctype Client() {
  chan mine = [0] of { byte };
  byte answer;
  request!mine, _pid;
  mine?answer;
  assert(answer == _pid + 1)
}
