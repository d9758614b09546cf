/*
 * A cluster of two groups of N workstations, each behind a switch, joined by a backbone; one repair unit
 * (B. Haverkort, H. Hermanns, J.-P. Katoen, "On the use of model checking techniques for dependability evaluation",
 * 2000).
 */
#ifndef N
#define N 16
#endif
#define K (N * 3 / 4)
/* Three quarters of one group's workstations, or of both together, can be reached. */
#define SERVICE ((left_n >= K && toLeft_n) || (right_n >= K && toRight_n) || \
                 (left_n + right_n >= K && toLeft_n && line_n && toRight_n))

short left_n = N, right_n = N;          /* workstations that work */
bit line_n = 1, toLeft_n = 1, toRight_n = 1;
bit left, right, line, toLeft, toRight; /* what is being repaired */
bit busy;                               /* the repair unit */

active proctype leftFails()    { do :: now: d_step { left_n > 0 -> left_n-- } od }
active proctype leftInspect()  { do :: now: d_step { !busy && !left && left_n < N -> left = 1; busy = 1 } od }
active proctype leftRepaired() { do :: now: d_step { busy && left && left_n < N -> left = 0; busy = 0; left_n++ } od }

active proctype rightFails()    { do :: now: d_step { right_n > 0 -> right_n-- } od }
active proctype rightInspect()  { do :: now: d_step { !busy && !right && right_n < N -> right = 1; busy = 1 } od }
active proctype rightRepaired() { do :: now: d_step { busy && right && right_n < N -> right = 0; busy = 0; right_n++ } od }

active proctype lineFails()    { do :: now: d_step { line_n > 0 -> line_n-- } od }
active proctype lineInspect()  { do :: now: d_step { !busy && !line && line_n < 1 -> line = 1; busy = 1 } od }
active proctype lineRepaired() { do :: now: d_step { busy && line && line_n < 1 -> line = 0; busy = 0; line_n++ } od }

active proctype toLeftFails()    { do :: now: d_step { toLeft_n > 0 -> toLeft_n-- } od }
active proctype toLeftInspect()  { do :: now: d_step { !busy && !toLeft && toLeft_n < 1 -> toLeft = 1; busy = 1 } od }
active proctype toLeftRepaired() { do :: now: d_step { busy && toLeft && toLeft_n < 1 -> toLeft = 0; busy = 0; toLeft_n++ } od }

active proctype toRightFails()    { do :: now: d_step { toRight_n > 0 -> toRight_n-- } od }
active proctype toRightInspect()  { do :: now: d_step { !busy && !toRight && toRight_n < 1 -> toRight = 1; busy = 1 } od }
active proctype toRightRepaired() { do :: now: d_step { busy && toRight && toRight_n < 1 -> toRight = 0; busy = 0; toRight_n++ } od }

