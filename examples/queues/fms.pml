/*
 * A flexible manufacturing system (G. Ciardo and K. Trivedi, "A decomposition approach for stochastic reward net
 * models", 1993): parts of three kinds on pallets, and a fourth kind that is joined from the first two. Machine 1 takes
 * three parts at once, machine 2 one, machine 3 two. Machine 2 works on parts of kind 3 while it has none of kind 2.
 */
#ifndef N
#define N 2
#endif
#define PALLETS (N * 3 / 2)             /* so many parts are moved at once */
#define MOVED (p1 + p2 + p3 + p12)
#define SHARE (MOVED > PALLETS -> PALLETS : MOVED)  /* of so many that are to be moved */

short p1 = N, p1waits, p1inM1, p1done, p1forP2;
short p2 = N, p2waits, p2inM2, p2done, p2forP1;
short p3 = N, p3forM2, p3done;
short p12, p12waits, p12inM3, p12done;
byte m1 = 3, m2 = 1, m3 = 2;            /* places that are free on each machine */

/* A machine is given back, or takes the next part that waits. */
#define NEXT(waits, in, free) if :: waits > 0 -> waits-- :: else -> in--; free++ fi

active proctype move1() {
  do :: step: d_step { p1 > 0 -> p1--; if :: m1 > 0 -> m1--; p1inM1++ :: else -> p1waits++ fi } od
}
active proctype move2() {
  do :: step: d_step { p2 > 0 -> p2--; if :: m2 > 0 -> m2--; p2inM2++ :: else -> p2waits++ fi } od
}
active proctype move3() { do :: step: d_step { p3 > 0 -> p3--; p3forM2++ } od }
active proctype move12() {
  do :: step: d_step { p12 > 0 -> p12--; if :: m3 > 0 -> m3--; p12inM3++ :: else -> p12waits++ fi } od
}

active proctype make1() { do :: step: d_step { p1inM1 > 0 -> NEXT(p1waits, p1inM1, m1); p1done++ } od }
active proctype join1() {               /* a part of kind 1 that is to be joined with one of kind 2 */
  do :: step: d_step {
          p1inM1 > 0 -> NEXT(p1waits, p1inM1, m1);
          if :: p2forP1 > 0 -> p2forP1--; p12++ :: else -> p1forP2++ fi
        }
  od
}
active proctype make2() { do :: step: d_step { p2inM2 > 0 -> NEXT(p2waits, p2inM2, m2); p2done++ } od }
active proctype join2() {
  do :: step: d_step {
          p2inM2 > 0 -> NEXT(p2waits, p2inM2, m2);
          if :: p1forP2 > 0 -> p1forP2--; p12++ :: else -> p2forP1++ fi
        }
  od
}
active proctype make3()  { do :: step: d_step { p3forM2 > 0 && m2 > 0 -> p3forM2--; p3done++ } od }
active proctype make12() { do :: step: d_step { p12inM3 > 0 -> NEXT(p12waits, p12inM3, m3); p12done++ } od }

active proctype ship1()  { do :: step: d_step { p1done > 0 -> p1 = p1 + p1done; p1done = 0 } od }
active proctype ship2()  { do :: step: d_step { p2done > 0 -> p2 = p2 + p2done; p2done = 0 } od }
active proctype ship3()  { do :: step: d_step { p3done > 0 -> p3 = p3 + p3done; p3done = 0 } od }
active proctype ship12() {
  do :: step: d_step { p12done > 0 -> p1 = p1 + p12done; p2 = p2 + p12done; p12done = 0 } od
}
