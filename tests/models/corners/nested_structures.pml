/* Channels inside of nested structures, passed to a process.
   RESULT: 89 states, 140 transitions */
typedef In { byte v[2]; chan c = [1] of {byte} };
typedef Out { In i[2]; unsigned u : 5 };
Out o; 
proctype R(chan k; byte n) { do :: k?n -> o.u = o.u + n :: o.u > 20 -> break od }
init { byte j; run R(o.i[1].c, 2); for (j : 0 .. 4) { o.i[1].c!j*3; o.i[j%2].v[1] = j } }
