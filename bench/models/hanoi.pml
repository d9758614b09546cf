/* The towers of Hanoi with DISCS discs: one process moves a disc from one peg to another, as it likes. */
#ifndef DISCS
#define DISCS 13
#endif

byte peg[DISCS];                               /* where each disc is; disc 0 is the smallest */

active proctype mover() {
  byte disc, from, to;
  do
  :: atomic {
       if :: from = 0 :: from = 1 :: from = 2 fi;
       if :: to = 0 :: to = 1 :: to = 2 fi;
       if :: from == to -> to = (to + 1) % 3 :: else fi;
       disc = 0;
       do
       :: disc < DISCS && peg[disc] == from -> break
       :: disc < DISCS && peg[disc] == to -> disc = DISCS
       :: disc < DISCS && peg[disc] != from && peg[disc] != to -> disc++
       :: disc == DISCS -> break
       od;
       if
       :: disc < DISCS -> peg[disc] = to
       :: else
       fi;
       disc = 0; from = 0; to = 0
     }
  od
}
