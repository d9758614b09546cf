/*
 * A tandem queue: an M/Cox2/1 queue whose customers go on to an M/M/1 queue, each with room for C (H. Hermanns,
 * J. Meyer-Kayser, M. Siegle, "Multi terminal binary decision diagrams to represent and analyse continuous time Markov
 * chains", 1999). Service in the first one has one or two phases. Who finds the second one full waits in the first.
 */
#ifndef C
#define C 255
#endif

short first, second;                    /* customers in each queue */
bit late;                               /* the customer in service is in the second phase */

active proctype arrival() { do :: arrive: d_step { first < C -> first++ } od }
active proctype quick()   { do :: serve: d_step { first > 0 && !late && second < C -> first--; second++ } od }
active proctype slow()    { do :: begin: d_step { first > 0 && !late -> late = 1 } od }
active proctype phase2()  { do :: serve: d_step { first > 0 && late && second < C -> first--; late = 0; second++ } od }
active proctype server2() { do :: serve: d_step { second > 0 -> second-- } od }
