/* Clients and servers that meet over rendezvous channels only, through a broker: nearly every step is a handshake. */
#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef SERVERS
#define SERVERS 3
#endif

chan ask = [0] of { byte, byte };              /* client, kind of work */
chan work[SERVERS] = [0] of { byte, byte };
chan answer[CLIENTS] = [0] of { byte };

proctype client(byte me) {
  byte kind, got;
  do
  :: if :: kind = 1 :: kind = 2 :: kind = 3 :: kind = 4 fi;
     ask!me, kind;
     answer[me]?got;
     kind = 0; got = 0
  od
}

proctype server(byte me) {
  byte who, kind;
end:
  do
  :: work[me]?who, kind ->
     if :: kind == 4 -> skip; skip; skip :: kind == 3 -> skip; skip :: kind == 2 -> skip :: else fi;
     answer[who]!kind;
     who = 0; kind = 0
  od
}

active proctype broker() {
  byte who, kind;
end:
  do
  :: ask?who, kind ->
     if
     :: work[0]!who, kind
     :: work[1]!who, kind
     :: work[SERVERS - 1]!who, kind
     fi;
     who = 0; kind = 0
  od
}

init {
  byte i;
  atomic {
    do :: i < CLIENTS -> run client(i); i++ :: else -> break od;
    i = 0;
    do :: i < SERVERS -> run server(i); i++ :: else -> break od;
    i = 0
  }
}
