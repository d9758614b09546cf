/* Philosophers at a round table, a fork between each two of them. Each takes the fork at the left, then the one at the
   right; when all have taken the left one, nobody can go on.

   Try: narrows explore philosophers.pml --engine symbolic
        narrows explore philosophers.pml --engine symbolic -D N=30
        narrows check philosophers.pml --engine symbolic -D POLITE */

#ifndef N
#define N 5
#endif

#define LEFT _pid
#define RIGHT ((_pid + 1) % N)

bit taken[N];
bit eats[N];

active [N] proctype Philosopher() {
  do
  ::
#ifdef POLITE
    /* One of them begins at the other side. */
    if
    :: _pid == 0 -> atomic { !taken[RIGHT] -> taken[RIGHT] = 1 }; atomic { !taken[LEFT] -> taken[LEFT] = 1 }
    :: else -> atomic { !taken[LEFT] -> taken[LEFT] = 1 }; atomic { !taken[RIGHT] -> taken[RIGHT] = 1 }
    fi;
#else
    atomic { !taken[LEFT] -> taken[LEFT] = 1 };
    atomic { !taken[RIGHT] -> taken[RIGHT] = 1 };
#endif
    eats[_pid] = 1;
    eats[_pid] = 0;
    taken[RIGHT] = 0;
    taken[LEFT] = 0
  od
}
