/*
 * Two processes take the same two locks, each in its own order.
 *
 * Shows: a deadlock, and how it is told from a proper end.
 * Expected: a deadlock after each process has taken one lock. Define ORDERED to take them in one order; then nothing
 * goes wrong.
 */

bool taken[2];

inline take(lock)    { atomic { !taken[lock] -> taken[lock] = true } }
inline release(lock) { taken[lock] = false }

active proctype First() {
  take(0);
  take(1);
  release(1);
  release(0)
}

active proctype Second() {
#ifdef ORDERED
  take(0);
  take(1);
  release(1);
  release(0)
#else
  take(1);
  take(0);
  release(0);
  release(1)
#endif
}
