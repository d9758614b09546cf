/*
 * Two processes send a packet to and fro through buffers with one reader each, and no locks (SR2). Nothing here knows of
 * caches: SPIN checks it as it is, and a study puts caches under it.
 *
 * Each process has a buffer of packets that are available to it, and one of packets that have come in. Where to read and
 * where to write next is private; only how far was written is shared. Positions count to 2 N, so that a full buffer is not
 * an empty one. Packets are numbered from 1, as 0 is none: N for each process.
 */
#ifndef N
#define N 1
#endif

byte avail_end[2] = { N, N };
#if N == 1
byte avail[2] = { 1, 2 };
#else
byte avail[4] = { 1, 2, 3, 4 };
#endif
byte in_end[2];
byte in[2 * N];
byte header[2 * N + 1];
byte data[2 * N + 1];

inline send(me, other) {
  do
  :: avail_end[me] != read_avail -> break
  :: else
  od;
  packet = avail[me * N + read_avail % N];
  avail[me * N + read_avail % N] = 0;
  read_avail = (read_avail + 1) % (2 * N);
  header[packet] = 1;
  data[packet] = 1;
  do
  :: in[other * N + write_in % N] == 0 -> break
  :: else
  od;
  in[other * N + write_in % N] = packet;
  write_in = (write_in + 1) % (2 * N);
  in_end[other] = write_in
}

inline receive(me, other) {
  do
  :: in_end[me] != read_in -> break
  :: else
  od;
  packet = in[me * N + read_in % N];
  in[me * N + read_in % N] = 0;
  read_in = (read_in + 1) % (2 * N);
  seen = header[packet];
  seen = data[packet];
  do
  :: avail[other * N + write_avail % N] == 0 -> break
  :: else
  od;
  avail[other * N + write_avail % N] = packet;
  write_avail = (write_avail + 1) % (2 * N);
  avail_end[other] = write_avail
}

active proctype ping() {
  byte packet, seen, read_avail, write_in, read_in;
  byte write_avail = N;
  do
  :: true ->
     start: skip;
     send(0, 1);
     receive(0, 1)
  od
}

active proctype pong() {
  byte packet, seen, read_avail, write_in, read_in;
  byte write_avail = N;
  do
  :: receive(1, 0);
     start: skip;
     send(1, 0)
  od
}
