/* A pipeline of two stages with a queue between them.
   A label stands before each statement that ends something which takes time. */
#define DEPTH 2

chan queue = [DEPTH] of { byte };

active proctype first() {
  do
  :: true ->
ready:
     skip;                                /* the first stage has finished an item */
     queue!1                              /* waits while the queue is full */
  od
}

active proctype second() {
  byte item;
  do
  :: queue?item;
     item = 0;
done:                                     /* the second stage has finished it */
     skip
  od
}
