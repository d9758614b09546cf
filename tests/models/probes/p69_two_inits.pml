/* Several `init`: SPIN runs all of them, in the order of the text. */
byte x;
init { x = 1; x = x + 2 }
proctype A(byte v) { x = v }
init { run A(5); x = 2; assert(x == 2) }
