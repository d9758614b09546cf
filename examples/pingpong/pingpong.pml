/*
 * The ping-pong with either implementation of the primitives: SR 1 is lists and locks, SR 2 is buffers without locks. The
 * variables of the other one are there too, unused, so that a study can speak of both.
 */
#ifndef SR
#define SR 1
#endif

#if SR == 1
#include "sr1.pml"
byte avail[2], avail_end[2], in[2], in_end[2];
#else
#include "sr2.pml"
byte avail_head[2], avail_lock[2], in_head[2], in_tail[2], in_lock[2], next[3];
#endif
