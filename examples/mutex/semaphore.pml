/*
 * A semaphore: two processes share a critical section, guarded by one variable that is tested and set in one step.
 *
 * Shows: formulas over whole runs, and what fairness does for them and what not.
 * Expected: no assertion fails, no deadlock; `safe` holds. `served` fails: Process(0) may wait for ever while the other
 * enters again and again. That is so with --fair weak too: Process(0) is blocked each time the other is inside, so
 * nobody is unfair to it. `asks` fails because Process(1) need not move at all, and holds with --fair weak.
 */

bool taken;         /* whether somebody is inside */
bool waits[2];      /* waits[i]: process i wants to enter */
byte inside;        /* how many are in the critical section */

active [2] proctype Process() {
  do
  :: waits[_pid] = true;
     atomic { !taken -> taken = true };
     waits[_pid] = false;
     inside++;
     assert(inside == 1);
     inside--;
     taken = false
  od
}

ltl safe   { [] (inside <= 1) }
ltl asks   { <> waits[1] }
ltl served { [] (waits[0] -> <> !waits[0]) }
