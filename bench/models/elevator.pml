/* An elevator for FLOORS floors: persons call it at will; a controller serves the calls in the direction of travel. */
#ifndef FLOORS
#define FLOORS 6
#endif
#ifndef PERSONS
#define PERSONS 2
#endif

bit called[FLOORS];
byte at, heading = 1, next;
bit open, moving;

active proctype cabin() {
  do
  :: atomic { moving && at < next -> at++ }
  :: atomic { moving && at > next -> at-- }
  :: atomic { moving && at == next -> moving = 0; open = 1 }
  :: atomic { open -> open = 0; called[at] = 0 }
  od
}

active proctype controller() {
  byte look;
  do
  :: atomic { !moving && !open -> look = at };
     do
     :: atomic { heading == 1 && look < FLOORS - 1 -> look++ }
     :: atomic { heading == 0 && look > 0 -> look-- }
     :: atomic { heading == 1 && look == FLOORS - 1 -> heading = 0 }
     :: atomic { heading == 0 && look == 0 -> heading = 1 }
     :: atomic { called[look] -> next = look; moving = 1; look = 0; break }
     od
  od
}

active [PERSONS] proctype person() {
  byte here, goal;
  do
  :: atomic { goal = 0; do :: goal < FLOORS - 1 -> goal++ :: break od };
     called[here] = 1;
     atomic { open && at == here -> called[goal] = 1 };
     atomic { open && at == goal -> here = goal; goal = 0 }
  od
}
