/*
 * A server with WORKERS threads on CORES processors. A thread that has a request needs a processor to work on it, and
 * then a lock to write to the log. There is always a next request.
 *
 * Shows: more threads do not help when all wait for one lock.
 * Expected: no assertion fails, no deadlock.
 */
#ifndef WORKERS
#define WORKERS 6
#endif
#ifndef CORES
#define CORES 2
#endif

byte running;                           /* threads on a processor */
bit locked;

active [WORKERS] proctype worker() {
  do
  :: atomic { running < CORES -> running++ };
worked:
     running--;
     atomic { !locked -> locked = 1 };
logged:
     locked = 0
  od
}
