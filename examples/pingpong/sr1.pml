/*
 * Two processes send a packet to and fro through lists that are protected by locks, in the manner of MPICH's
 * shared-memory device (SR1). Nothing here knows of caches: SPIN checks it as it is, and a study puts caches under it.
 *
 * Each process has a list of packets that are available to it, and a list of packets that have come in. Packets are
 * numbered from 1, as 0 is none: one for each process. POLL_LOCKED says how a receiver looks for packets: under
 * the lock (1), or without it first, as MPICH does (0).
 */
#ifndef POLL_LOCKED
#define POLL_LOCKED 1
#endif

byte avail_head[2] = { 1, 2 };
byte avail_lock[2];
byte in_head[2];
byte in_tail[2];
byte in_lock[2];
byte next[3];
byte header[3];
byte data[3];

inline lock(x) { atomic { x == 0 -> x = 1 } }
inline unlock(x) { x = 0 }

inline send(me, other) {
  do
  :: avail_head[me] != 0 -> break
  :: else
  od;
  lock(avail_lock[me]);
  packet = avail_head[me];
  avail_head[me] = 0;
  unlock(avail_lock[me]);
  link = next[packet];
  next[packet] = 0;
  header[packet] = 1;
  data[packet] = 1;
  lock(in_lock[other]);
  link = in_tail[other];
  if
  :: link == 0 -> in_head[other] = packet
  :: else -> next[link] = packet
  fi;
  in_tail[other] = packet;
  unlock(in_lock[other])
}

inline receive(me, other) {
#if POLL_LOCKED
  do
  :: lock(in_lock[me]);
     packet = in_head[me];
     if
     :: packet != 0 -> break
     :: else
     fi;
     unlock(in_lock[me])
  od;
#else
  do
  :: in_head[me] != 0 -> break
  :: else
  od;
  lock(in_lock[me]);
  packet = in_head[me];
#endif
  link = next[packet];
  in_head[me] = 0;
  in_tail[me] = 0;
  unlock(in_lock[me]);
  link = header[packet];
  link = data[packet];
  next[packet] = 0;
  lock(avail_lock[other]);
  link = avail_head[other];
  next[packet] = link;
  avail_head[other] = packet;
  unlock(avail_lock[other])
}

active proctype ping() {
  byte packet, link;
  do
  :: true ->
     start: skip;
     send(0, 1);
     receive(0, 1)
  od
}

active proctype pong() {
  byte packet, link;
  do
  :: receive(1, 0);
     start: skip;
     send(1, 0)
  od
}
