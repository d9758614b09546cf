/* Masters that share a bus. The arbiter grants it to any of those that ask. */
#define MASTERS 2                         /* the arbiter knows two */

bool request[MASTERS];
bool grant[MASTERS];

active [MASTERS] proctype master() {
  do
  :: true ->
computed:
     request[_pid] = true;                /* the master has something to transfer */
     grant[_pid];
transferred:                              /* the transfer has ended */
     grant[_pid] = false
  od
}

active proctype arbiter() {
  do
  :: atomic { request[0] -> request[0] = false; grant[0] = true };
     !grant[0]
  :: atomic { request[1] -> request[1] = false; grant[1] = true };
     !grant[1]
  od
}

ltl exclusive { [] !(grant[0] && grant[1]) }
