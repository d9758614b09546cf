/* A sliding-window protocol with negative acknowledgements over lossy channels, in the manner of the i-protocol. */
#ifndef WINDOW
#define WINDOW 5
#endif
#define MODULUS (2 * WINDOW)

mtype = { data, ack, nak };
chan toR = [2] of { mtype, byte };
chan toS = [2] of { mtype, byte };
byte sent, delivered;                          /* modulo 4: what was accepted and given away */

active proctype sender() {
  byte base, next, number;
  do
  :: atomic { (next + MODULUS - base) % MODULUS < WINDOW ->
       sent = (sent + 1) % 4; toR!data(next); next = (next + 1) % MODULUS }
  :: atomic { toS?ack(number) ->
       if
       :: (number + MODULUS - base) % MODULUS < (next + MODULUS - base) % MODULUS -> base = (number + 1) % MODULUS
       :: else
       fi;
       number = 0 }
  :: atomic { toS?nak(number) ->
       if
       :: (number + MODULUS - base) % MODULUS < (next + MODULUS - base) % MODULUS -> toR!data(number)
       :: else
       fi;
       number = 0 }
  :: atomic { timeout -> if :: base != next -> toR!data(base) :: else fi }
  od
}

active proctype receiver() {
  byte expected, number;
  bit got[MODULUS];
end:
  do
  :: atomic { toR?data(number) ->
       if
       :: (number + MODULUS - expected) % MODULUS < WINDOW -> got[number] = 1
       :: else
       fi };
     do
     :: atomic { got[expected] -> got[expected] = 0; expected = (expected + 1) % MODULUS;
          delivered = (delivered + 1) % 4 }
     :: else -> break
     od;
     if
     :: atomic { number != expected -> toS!nak(expected) }
     :: toS!ack((expected + MODULUS - 1) % MODULUS)
     fi;
     number = 0
  od
}

active proctype loss() {
  do
  :: toR?data(_)
  :: toS?_(_)
  od
}
