/*
 * A barrier for P processes: nobody goes on before all have come. Who comes last tells the others by changing a flag, and
 * the flag means the opposite the next time.
 */
#ifndef P
#define P 2
#endif

byte come;
byte flag;

active [P] proctype worker() {
  byte seen, mine;
  do
  :: true ->
     work: skip;
     mine = 1 - mine;
     atomic { seen = come; come = (come + 1) % P };
     if
     :: seen == P - 1 -> seen = 0; flag = mine
     :: else ->
        seen = 0;
        do
        :: flag == mine -> break
        :: else
        od
     fi
  od
}
