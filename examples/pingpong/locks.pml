/*
 * Some processes and a lock, taken in one of three ways: LOCK 1 tries to set it again and again, LOCK 2 looks first and
 * tries only when it is free, LOCK 3 draws a ticket and waits for its number.
 */
#ifndef LOCK
#define LOCK 1
#endif
#ifndef P
#define P 3
#endif

byte taken, shared;
byte ticket, serving;

inline lock() {
#if LOCK == 1
  atomic { taken == 0 -> taken = 1 }
#elif LOCK == 2
  do
  :: do
     :: taken == 0 -> break
     :: else
     od;
     atomic { seen = taken; taken = 1 };
     if
     :: seen == 0 -> break
     :: else -> seen = 0
     fi
  od
#else
  atomic { seen = ticket; ticket = (ticket + 1) % P };
  serving == seen;
  seen = 0
#endif
}

inline unlock() {
#if LOCK == 3
  serving = (serving + 1) % P
#else
  taken = 0
#endif
}

active [P] proctype worker() {
  byte seen;
  do
  :: true ->
     work: skip;
     lock();
     inside: shared = 1;
     unlock()
  od
}
