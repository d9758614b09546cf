/* The array has no element 2. SPIN reports it and then writes into the variable behind the array. */
byte a[2];
byte z = 7;
byte i = 2;
active proctype P() { a[i] = 9; assert(z == 7) }
