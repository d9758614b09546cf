/*
 * A producer and a consumer with a ring of SIZE slots between them. The producer puts BURST items, one right after the
 * other, and rests. It waits while the ring is full: back-pressure. A slot is free when the work on its item is done.
 *
 * Shows: a ring that is shorter than a burst makes the producer start its rest late.
 * Expected: no assertion fails, no deadlock, with any SIZE.
 */
#ifndef SIZE
#define SIZE 4
#endif
#ifndef BURST
#define BURST 4
#endif

chan ring = [SIZE] of { byte };

active proctype producer() {
  byte item;
  do
  :: item < BURST ->
put: ring!item;
     item++
  :: item == BURST ->
rested:
     item = 0
  od
}

active proctype consumer() {
  byte item, expected;
  do
  :: ring?<item> ->
     assert(item == expected);          /* nothing is lost or out of order */
     expected = (expected + 1) % BURST;
done:
     ring?_                             /* the end of the work on it */
  od
}
