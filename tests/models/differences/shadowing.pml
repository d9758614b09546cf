/* A local variable with the name of a global one. SPIN says "redeclaration". */
byte x;
active proctype P() { byte x; x = 1 }
