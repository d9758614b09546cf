/*
 * Peterson's algorithm: two processes share a critical section with three variables and no lock.
 *
 * Shows: an assertion that holds in every run.
 * Expected: no assertion fails, no deadlock.
 */

bool wants[2];      /* wants[i]: process i asks to enter */
byte turn;          /* who goes first if both ask */
byte inside;        /* how many are in the critical section */

active [2] proctype Process() {
  byte other = 1 - _pid;
  do
  :: wants[_pid] = true;
     turn = other;
     !wants[other] || turn == _pid;     /* waits until this is true */

     inside++;
     assert(inside == 1);
     inside--;

     wants[_pid] = false
  od
}
