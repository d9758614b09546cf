/* A division by zero kills SPIN's verifier. */
byte x;
active proctype P() { byte y = 3; y = y / x }
