/* Leader election in a ring by Le Lann: every station passes a token on with its number; tokens can be lost. */
#ifndef N
#define N 7
#endif

mtype = { token, claim };
chan to[N] = [2] of { mtype, byte };
byte leaders;

proctype station(byte me) {
  byte who;
  chan in = to[me];
  chan out = to[(me + 1) % N];
  out!claim, me;
end:
  do
  :: in?claim, who ->
     if
     :: who < me -> out!claim, who
     :: who > me                               /* a smaller one is on its way */
     :: who == me -> leaders++; out!token, me
     fi;
     who = 0
  :: in?token, who -> skip; out!token, who; who = 0
  :: atomic { nempty(in) -> in?_, who; who = 0 }    /* a message is lost */
  :: timeout -> out!claim, me
  od
}

init {
  byte i;
  atomic {
    do
    :: i < N -> run station(i); i++
    :: else -> break
    od
  }
}
