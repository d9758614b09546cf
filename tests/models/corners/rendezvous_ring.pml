/* Rendezvous out of an atomic sequence around a ring, under an unless.
   RESULT: 24628 states, 64851 transitions */
#define p(i) (st[i] == 1)
byte st[3]; chan g[3] = [0] of { byte, pid };
active [3] proctype W() { byte k; pid who;
 do
 :: atomic { st[_pid] == 0 -> st[_pid] = 1; g[(_pid+1)%3]!k,_pid; st[_pid] = 2 }
 :: g[_pid]?k,who -> { k = k + who; k = k % 4 } unless { p(2) -> d_step { st[2] = 0; k = 1 } }
 :: st[_pid] == 2 -> st[_pid] = 0
 od }
