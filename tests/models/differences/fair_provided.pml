/* A process whose `provided` is false can't move, so that nothing is unfair to it: the other goes on for ever. */
bit x;
active proctype Blocked() provided (false) { skip }
active proctype Other() { do :: x = 0 od }
ltl stops { <> [] false }
