/* A switch for USERS telephones with call forwarding: users lift, dial, talk and hang up as they like. */
#ifndef USERS
#define USERS 4
#endif
#ifndef FORWARDERS
#define FORWARDERS 2            /* how many of them may forward calls */
#endif
#define NOBODY USERS

mtype = { idle, dialing, calling, busy, talking, ringing, waiting };
mtype state[USERS];
byte partner[USERS];
byte forwards[USERS];

proctype user(byte me) {
  byte number;
  do
  :: atomic { state[me] == idle -> state[me] = dialing; partner[me] = NOBODY }
  :: atomic { state[me] == dialing -> number = 0; do :: number < USERS - 1 -> number++ :: break od };
     if
     :: atomic { forwards[number] != NOBODY && forwards[number] != number -> number = forwards[number] }
     :: else
     fi;
     if
     :: atomic { number != me && state[number] == idle ->
          state[me] = calling; partner[me] = number; state[number] = ringing; partner[number] = me }
     :: atomic { else -> state[me] = busy }
     fi;
     number = 0
  :: atomic { state[me] == dialing -> state[me] = idle }
  :: atomic { state[me] == busy -> state[me] = idle }
  :: atomic { state[me] == ringing -> state[me] = talking; state[partner[me]] = talking }
  :: atomic { state[me] == calling -> state[partner[me]] = idle; partner[partner[me]] = NOBODY;
       partner[me] = NOBODY; state[me] = idle }
  :: atomic { state[me] == talking -> state[partner[me]] = waiting; partner[partner[me]] = NOBODY;
       partner[me] = NOBODY; state[me] = idle }
  :: atomic { state[me] == waiting -> state[me] = idle }
  :: atomic { me < FORWARDERS && state[me] == idle && forwards[me] == NOBODY ->
       do :: number < USERS - 1 -> number++ :: break od; forwards[me] = number; number = 0 }
  :: atomic { state[me] == idle && forwards[me] != NOBODY -> forwards[me] = NOBODY }
  od
}

init {
  byte i;
  atomic {
    do
    :: i < USERS -> state[i] = idle; partner[i] = NOBODY; forwards[i] = NOBODY; i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < USERS -> run user(i); i++
    :: else -> break
    od;
    i = 0
  }
}
