/*
 * A cyclic polling server: it goes from one of N stations to the next, and serves the one where something waits
 * (O. Ibe and K. Trivedi, "Stochastic Petri net models of polling systems", 1990).
 */
#ifndef N
#define N 5
#endif

byte at;                                /* where the server is */
bit serves;
bit waits[N];

active proctype goOn()  { do :: step:  d_step { !serves && !waits[at] -> at = (at + 1) % N } od }
active proctype begin() { do :: step:  d_step { !serves && waits[at] -> serves = 1 } od }
active proctype serve() { do :: done:  d_step { serves -> serves = 0; waits[at] = 0; at = (at + 1) % N } od }

active [N] proctype station() { do :: arrive: d_step { !waits[_pid - 3] -> waits[_pid - 3] = 1 } od }
