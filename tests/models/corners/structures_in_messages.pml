/* A structure with an array as a message, and a loop through a channel's messages.
   RESULT: 202 states, 312 transitions */
typedef M { byte a; short b[2]; bit c };
chan q = [3] of { M };
byte s;
active proctype P() { M m; m.a = 3; m.b[0] = 5; m.b[1] = 7; m.c = 1; q!m; m.a = 4; m.b[1] = 300; q!m; M x; for (x in q) { s = s + x.a + x.b[1] } assert(s != 0); q?m; assert(m.b[1]==7) }
active proctype Q() { M y; if :: q?y -> s = y.b[0] :: timeout fi }
