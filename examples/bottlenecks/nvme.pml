/*
 * A queue pair of a solid-state disk. The host puts a command into the submission queue and rings the doorbell; at most
 * DEPTH commands are under way. The controller fetches commands one by one and gives them to two flash channels in turn.
 * A channel reads, and puts an entry into the completion queue, which a handler of the host looks at.
 *
 * Shows: one command at a time goes from one to the next; with more, the channels work at the same time.
 * Expected: no assertion fails, no deadlock, with any DEPTH.
 */
#ifndef DEPTH
#define DEPTH 4
#endif
#define CHANNELS 2

byte under_way;                         /* commands that are not completed yet */
bit reads[CHANNELS];                    /* which channels read */

chan submission = [DEPTH] of { bit };
chan completion = [DEPTH] of { bit };
chan dispatch[CHANNELS] = [0] of { bit };

active [CHANNELS] proctype channel() {
  do
  :: dispatch[_pid]?_ ->
     reads[_pid] = 1;
read:
     d_step { reads[_pid] = 0; assert(nfull(completion)); completion!1 }
  od
}

active proctype host() {
  do
  :: under_way < DEPTH ->
doorbell:
     d_step { under_way++; assert(nfull(submission)); submission!1 }
  od
}

active proctype controller() {
  byte next;
  do
  :: nempty(submission) ->
fetched:
     submission?_;
     dispatch[next]!1;
     next = (next + 1) % CHANNELS
  od
}

active proctype handler() {             /* of the interrupt, or a loop that polls */
  do
  :: nempty(completion) ->
handled:
     d_step { completion?_; under_way-- }
  od
}
