/* One process, one variable: a lamp that is switched on and off. Expected: everything holds. */

mtype = { off, on };
mtype lamp = off;
byte pressed;

active proctype Button() {
  do
  :: pressed < 3 ->
     pressed++;
     if
     :: lamp == off -> lamp = on
     :: lamp == on -> lamp = off
     fi
  :: else -> break
  od;
  assert(lamp == on)
}
