/* As counter.pml, but reading and writing are one step. Expected: everything holds. */

byte counter;
byte done;

active [2] proctype Adder() {
  byte copy;
  atomic {
    copy = counter;
    counter = copy + 1
  }
  done++;
  if
  :: done == 2 -> assert(counter == 2)
  :: else
  fi
}
