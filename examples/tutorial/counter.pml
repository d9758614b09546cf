/* Two processes add 1 to a counter. Expected: the assertion fails, because one addition can get lost. */

byte counter;
byte done;

active [2] proctype Adder() {
  byte copy;
  copy = counter;
  counter = copy + 1;
  done++;
  if
  :: done == 2 -> assert(counter == 2)
  :: else
  fi
}
