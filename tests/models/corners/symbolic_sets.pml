/* Named sets of symbolic names as variables, parameters and message fields; a provided clause.
   RESULT: 334 states, 682 transitions */
byte x; bool b; mtype:col = { red, green }; mtype:dir = { up, down }; mtype:col c = green;
chan ch = [2] of { mtype:col, mtype:dir };
proctype A(mtype:dir d) { ch!c, d; if :: d == up -> c = red :: else -> skip fi; printm(c) }
active proctype B() provided (x < 3) { do :: x++ ; ch?red, _ :: ch?green, up -> x = 0; :: timeout -> break od }
init { atomic { run A(up); run A(down) }; (_nr_pr <= 2); x = 3; x = 1 }
