/* N dining philosophers, who take first one fork, then the other, and put both back. */
#ifndef N
#define N 13
#endif

bit fork[N];

active [N] proctype philosopher() {
  do
  :: atomic { !fork[_pid] -> fork[_pid] = 1 };
     atomic { !fork[(_pid + 1) % N] -> fork[(_pid + 1) % N] = 1 };
     fork[_pid] = 0;
     fork[(_pid + 1) % N] = 0
  od
}
