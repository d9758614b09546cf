/* Patient could receive at any time, so that a fair run does not let it wait for ever. */
chan q = [0] of { bit };
bit done, idle;
active proctype Sender() {
  do
  :: q ! 1
  :: idle = 0
  od
}
active proctype Patient() { q ? _; done = 1 }
ltl served { <> (done == 1) }
