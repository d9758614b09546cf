/* Both processes wait for ever, with x at 1 or 2. Neither can move there, so that nothing is unfair to it. */
byte x;
active proctype One() { x = 1; x == 7 }
active proctype Two() { x = 2; x == 7 }
ltl settles { <> [] (x == 5) }
