/*
 * A producer fills one of two buffers while a consumer empties the other, as a DMA engine and a processor do. Two
 * queues pass the numbers of buffers to and fro: who holds a number owns the buffer.
 *
 * Shows: ownership by messages, and an assertion that both never touch the same buffer.
 * Expected: no assertion fails, no deadlock.
 */

#define BUFFERS 2
#define ITEMS 4

chan empty_ones = [BUFFERS] of { byte };
chan full_ones = [BUFFERS] of { byte };

byte users[BUFFERS];                    /* how many work on each buffer */
byte content[BUFFERS];

active proctype Producer() {
  byte buffer;
  byte item;
  empty_ones!0;
  empty_ones!1;
  do
  :: empty_ones?buffer ->
     users[buffer]++;
     assert(users[buffer] == 1);
     content[buffer] = item;
     item = (item + 1) % ITEMS;
     users[buffer]--;
     full_ones!buffer
  od
}

active proctype Consumer() {
  byte buffer;
  byte expected;
  do
  :: full_ones?buffer ->
     users[buffer]++;
     assert(users[buffer] == 1);
     assert(content[buffer] == expected);       /* nothing is lost or out of order */
     expected = (expected + 1) % ITEMS;
     users[buffer]--;
     empty_ones!buffer
  od
}
