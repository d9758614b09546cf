/* A ring of stations that pass a token on: who has it may send one message. */
#define N 3

chan link[N] = [1] of { bit };
byte sent;

active [N] proctype station() {
  if
  :: _pid == 0 -> link[0]!1               /* the first station starts the token */
  :: else
  fi;
  do
  :: link[_pid]?1 ->
     if
     :: skip;                             /* there is something to send */
transmitted:
        sent = 1 - sent
     :: skip                              /* there is nothing to send */
     fi;
passed:                                   /* the token has arrived at the next station */
     link[(_pid + 1) % N]!1
  od
}
