/* The process is never seen at its accept label: it stands inside of an atomic sequence. */
byte x;
active proctype P() {
  do
  :: atomic { x = 1; accept: x = 0 }
  od
}
