/* A producer and a consumer with a buffer of two places between them. Expected: everything holds. */

chan buffer = [2] of { byte };

active proctype Producer() {
  byte item;
  do
  :: item < 5 -> buffer!item; item++
  :: else -> break
  od
}

active proctype Consumer() {
  byte expected, received;
  do
  :: expected < 5 ->
     buffer?received;
     assert(received == expected);
     expected++
  :: else -> break
  od
}
