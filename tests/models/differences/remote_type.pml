/* Process 2 is a B, and A[2]@here asks for an A. SPIN compares the numbers of locations and finds them equal. */
byte seen;
proctype A() { skip; here: skip; skip }
proctype B() { skip; skip; skip }
active proctype W() { if :: A[2]@here -> seen = 1 :: _nr_pr == 1 fi }
init { run B() }
