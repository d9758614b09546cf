/*
 * A mutual exclusion that does not exclude: each process looks first and asks afterwards. Both may look before
 * either asks.
 *
 * Shows: an assertion that fails, with a short counterexample.
 * Expected: the assertion in line 21 fails. peterson.pml is the remedy.
 */

bool wants[2];
byte inside;

active [2] proctype Process() {
  byte other = 1 - _pid;
  do
  :: !wants[other];                     /* the other is not inside, so … */
     wants[_pid] = true;                /* … too late: it may have looked as well */

     inside++;
     /* Only one process may be here. */

     assert(inside == 1);
     inside--;

     wants[_pid] = false
  od
}
