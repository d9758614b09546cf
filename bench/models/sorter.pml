/* A conveyor that sorts bricks: sensors, a belt, an arm and a controller, joined by rendezvous. */
#ifndef PLACES
#define PLACES 3
#endif
#ifndef BELTS
#define BELTS 2
#endif

mtype = { none, small, large };
chan seen[BELTS] = [0] of { mtype };
chan push = [0] of { byte };
chan done = [0] of { byte };
mtype belt[16];
byte sorted, lost;

proctype line(byte me) {
  byte i;
  mtype last;
  belt[me * PLACES] = none;
  do
  :: atomic { belt[me * PLACES] == 0 -> if :: belt[me * PLACES] = small :: belt[me * PLACES] = large :: skip fi }
  :: atomic {
       last = belt[me * PLACES + PLACES - 1];
       i = PLACES - 1;
       do
       :: i > 0 -> belt[me * PLACES + i] = belt[me * PLACES + i - 1]; i--
       :: else -> break
       od;
       belt[me * PLACES] = 0
     };
     if
     :: last == small || last == large -> seen[me]!last
     :: else
     fi;
     last = 0
  od
}

active proctype controller() {
  mtype kind;
  do
  :: seen[0]?kind -> if :: kind == large -> push!0 :: else -> lost = (lost + 1) % 3 fi; kind = 0
  :: seen[BELTS - 1]?kind -> if :: kind == large -> push!1 :: else -> lost = (lost + 1) % 3 fi; kind = 0
  :: done?_ -> sorted = (sorted + 1) % 3
  od
}

active proctype arm() {
  byte which;
  do
  :: push?which; skip; done!which; which = 0
  od
}

init { atomic { run line(0); run line(BELTS - 1) } }
