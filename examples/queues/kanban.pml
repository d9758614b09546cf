/*
 * A Kanban system with four cells (G. Ciardo and M. Tilgner, "On the use of Kronecker operators for the solution of
 * generalized stochastic Petri nets", 1996). Each cell has T cards; a part in it is worked on, is reworked, or waits to
 * leave. From cell 1 parts go to cells 2 and 3 at once, and from both to cell 4.
 */
#ifndef T
#define T 3
#endif
#define HAS_ROOM(cell) (works[cell] + wrong[cell] + done[cell] < T)

byte works[4], wrong[4], done[4];

active proctype redo1() { do :: step: d_step { works[0] > 0 -> works[0]--; wrong[0]++ } od }
active proctype ok1()   { do :: step: d_step { works[0] > 0 -> works[0]--; done[0]++ } od }
active proctype back1() { do :: step: d_step { wrong[0] > 0 -> wrong[0]--; works[0]++ } od }

active proctype redo2() { do :: step: d_step { works[1] > 0 -> works[1]--; wrong[1]++ } od }
active proctype ok2()   { do :: step: d_step { works[1] > 0 -> works[1]--; done[1]++ } od }
active proctype back2() { do :: step: d_step { wrong[1] > 0 -> wrong[1]--; works[1]++ } od }

active proctype redo3() { do :: step: d_step { works[2] > 0 -> works[2]--; wrong[2]++ } od }
active proctype ok3()   { do :: step: d_step { works[2] > 0 -> works[2]--; done[2]++ } od }
active proctype back3() { do :: step: d_step { wrong[2] > 0 -> wrong[2]--; works[2]++ } od }

active proctype redo4() { do :: step: d_step { works[3] > 0 -> works[3]--; wrong[3]++ } od }
active proctype ok4()   { do :: step: d_step { works[3] > 0 -> works[3]--; done[3]++ } od }
active proctype back4() { do :: step: d_step { wrong[3] > 0 -> wrong[3]--; works[3]++ } od }

active proctype enter() { do :: step: d_step { HAS_ROOM(0) -> works[0]++ } od }
active proctype fork() {
  do :: step: d_step { done[0] > 0 && HAS_ROOM(1) && HAS_ROOM(2) -> done[0]--; works[1]++; works[2]++ } od
}
active proctype join() {
  do :: step: d_step { done[1] > 0 && done[2] > 0 && HAS_ROOM(3) -> done[1]--; done[2]--; works[3]++ } od
}
active proctype leave() { do :: step: d_step { done[3] > 0 -> done[3]-- } od }
