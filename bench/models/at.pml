/* Timing-based mutual exclusion (Alur and Taubenfeld): N processes, shared variables, clocks that tick together. */
#ifndef N
#define N 3
#endif
#define K1 2
#define K2 5

byte x = 255, y = 255, z = 255;     /* who announced itself, who asks again, who is inside */
byte waited[N];                     /* ticks since the last write */
byte inside;

active proctype clock() {
  byte i;
  do
  :: d_step {
       i = 0;
       do
       :: i < N -> if :: waited[i] < K2 -> waited[i]++ :: else fi; i++
       :: else -> break
       od;
       i = 0
     }
  od
}

active [N] proctype process() {
  byte me = _pid - 1;
  do
  :: skip;                                                     /* not interested */
again:
     atomic { x = me; waited[me] = 0 };
     if
     :: y != 255 -> atomic { y == 255; waited[me] = 0 }; goto again
     :: else
     fi;
     y = me;
     if
     :: x != me ->
        atomic { waited[me] >= K1; waited[me] = 0 };
        if
        :: y != me -> goto again
        :: else
        fi
     :: else
     fi;
     z = me;
     inside++;
     inside--;
     z = 255;
     y = 255
  od
}
