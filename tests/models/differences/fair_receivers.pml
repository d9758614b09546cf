/* Both receivers could receive at any time, so that a fair run does not serve only one of them. */
chan q = [0] of { bit };
bit done;
active proctype Sender() { do :: q ! 1 od }
active proctype Greedy() { do :: q ? _ od }
active proctype Patient() { q ? _; done = 1 }
ltl served { <> (done == 1) }
