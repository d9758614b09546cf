/*
 * A driver that receives through DMA. The device fills a buffer; the driver copies it out and gives it back. Two queues
 * pass the numbers of buffers to and fro: who holds a number owns the buffer.
 *
 * Shows: with one buffer, filling and draining take turns; with two they overlap.
 * Expected: no assertion fails, no deadlock, with any number of BUFFERS.
 */
#ifndef BUFFERS
#define BUFFERS 2
#endif

chan free_ones = [BUFFERS] of { byte };
chan full_ones = [BUFFERS] of { byte };

byte users[BUFFERS];                    /* how many work on each buffer */

active proctype device() {
  byte buffer;
  do
  :: free_ones?buffer ->
     users[buffer]++;
     assert(users[buffer] == 1);
filled:
     users[buffer]--;                   /* the end of the transfer */
     full_ones!buffer
  od
}

active proctype driver() {
  byte buffer;
  for (buffer : 0 .. BUFFERS - 1) {
    free_ones!buffer
  }
  do
  :: full_ones?buffer ->
     users[buffer]++;
     assert(users[buffer] == 1);
drained:
     users[buffer]--;                   /* the end of the copy */
     free_ones!buffer
  od
}
