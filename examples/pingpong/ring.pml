/*
 * P processes in a ring hand messages on, each to the next one, through buffers with one reader each, as in sr2.pml; M
 * messages are under way. With two processes and one message it is the ping-pong. Each process has N packets of its own,
 * which come back to it when they have been read: so with several of them it need not wait for that.
 */
#ifndef P
#define P 2
#endif
#ifndef M
#define M 1
#endif
#ifndef N
#define N 1
#endif

byte returned[P];           /* how many of its packets have come back to a process, modulo 2 N */
byte sent[P];               /* how many packets a process was sent, modulo 2 N */
byte header[P * N];
byte data[P * N];

inline send() {
  do
  :: returned[_pid] != (used + N) % (2 * N) -> break
  :: else
  od;
  header[_pid * N + used % N] = 1;
  data[_pid * N + used % N] = 1;
  used = (used + 1) % (2 * N);
  sent[(_pid + 1) % P] = used
}

inline receive() {
  do
  :: sent[_pid] != read -> break
  :: else
  od;
  seen = header[((_pid + P - 1) % P) * N + read % N];
  seen = data[((_pid + P - 1) % P) * N + read % N];
  seen = 0;
  read = (read + 1) % (2 * N);
  returned[(_pid + P - 1) % P] = read
}

active [P] proctype node() {
  byte used, read, seen;
  if
  :: _pid < M -> start: skip; send()
  :: else
  fi;
  do
  :: receive();
     hand: skip;
     send()
  od
}
