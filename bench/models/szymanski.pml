/* Szymanski's mutual exclusion: each process goes through a waiting room, one flag of five values each. */
#ifndef N
#define N 4
#endif

byte flag[N];
byte inside;

active [N] proctype process() {
  byte j;
  do
  :: flag[_pid] = 1;
     j = 0;
     do
     :: j < N && flag[j] < 3 -> j++
     :: j == N -> break
     od;
     flag[_pid] = 3;
     j = 0;
     do
     :: j < N && (flag[j] != 1 || j == _pid) -> j++
     :: j < N && flag[j] == 1 && j != _pid ->
        flag[_pid] = 2;
        j = 0;
        do
        :: j < N && flag[j] != 4 -> j++
        :: j < N && flag[j] == 4 -> break
        :: j == N -> j = 0
        od;
        break
     :: j == N -> break
     od;
     flag[_pid] = 4;
     j = 0;
     do
     :: j < _pid && flag[j] < 2 -> j++
     :: j == _pid -> break
     od;
     inside++;
     assert(inside == 1);
     inside--;
     j = _pid + 1;
     do
     :: j < N && (flag[j] < 2 || flag[j] > 3) -> j++
     :: j == N -> break
     od;
     j = 0;
     flag[_pid] = 0
  od
}
