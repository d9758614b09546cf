/* Peterson's algorithm for N processes: each climbs N - 1 levels, and waits on each for the last one to arrive. */
#ifndef N
#define N 4
#endif

byte level[N];                      /* how far each has come */
byte last[N];                       /* who came last to each level */
byte inside;

active [N] proctype process() {
  byte at, other;
  do
  :: at = 1;
     do
     :: at < N ->
        level[_pid] = at;
        last[at] = _pid;
        other = 0;
        do
        :: other < N && (other == _pid || level[other] < at || last[at] != _pid) -> other++
        :: other >= N -> break
        od;
        at++
     :: else -> break
     od;
     at = 0; other = 0;
     inside++;
     assert(inside == 1);
     inside--;
     level[_pid] = 0
  od
}
