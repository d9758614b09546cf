/*
 * M/M/1/K: one server, room for K customers. Who finds no room goes away.
 *
 * Shows: the smallest queue there is; its figures have a closed form.
 */
#ifndef K
#define K 10
#endif

short customers;

active proctype arrival() { do :: arrive: d_step { customers < K -> customers++ } od }
active proctype server()  { do :: serve:  d_step { customers > 0 -> customers-- } od }
