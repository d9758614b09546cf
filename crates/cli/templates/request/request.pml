/* Clients that send requests to a server, and wait for the reply. */
#define CLIENTS 2
#define PLACES 1

chan requests = [PLACES] of { byte };
chan replies[CLIENTS] = [1] of { bit };

active [CLIENTS] proctype client() {
  do
  :: true ->
thought:
     skip;                                /* the client knows what to ask */
     requests!_pid;
     replies[_pid]?1
  od
}

active proctype server() {
  byte who;
  do
  :: requests?who;
served:                                   /* the server has the reply */
     replies[who]!1
  od
}
