/* There are two processes; beside a claim SPIN counts three. */
bit x;
active [2] proctype P() { do :: x = 0 od }
ltl two { [] (_nr_pr == 2) }
