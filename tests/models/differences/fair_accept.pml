/* In the end `Waiting` waits for a message, and has left its accept label behind. */
byte x = 2;
chan q = [1] of { byte };
active proctype Before() {
  do
  :: skip; skip
  :: break
  od;
  x = 1
}
proctype Waiting() {
  byte y;
  y = x % 3;
accept:
  do
  :: skip; q ? 0
  od
}
init { run Waiting() }
