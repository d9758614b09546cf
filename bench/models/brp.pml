/* The bounded retransmission protocol: a file in CHUNKS pieces over two lossy channels, at most RETRIES retries. */
#ifndef CHUNKS
#define CHUNKS 60
#endif
#ifndef RETRIES
#define RETRIES 8
#endif
#ifndef FILES
#define FILES 3
#endif

mtype = { data, ack, ok, dontKnow, failed };
chan toReceiver = [2] of { mtype, bit, bit, bit };     /* first, last, alternating bit */
chan toSender = [2] of { mtype };
chan report = [1] of { mtype };

active proctype sender() {
  byte chunk, tries, file;
  bit ab;
  do
  :: file < FILES ->
     chunk = 0;
     do
     :: chunk < CHUNKS ->
        tries = 0;
        do
        :: tries <= RETRIES ->
           toReceiver!data(chunk == 0, chunk == CHUNKS - 1, ab);
           if
           :: toSender?ack -> ab = 1 - ab; chunk++; break
           :: timeout -> tries++
           fi
        :: tries > RETRIES ->
           if
           :: chunk == CHUNKS - 1 -> report!dontKnow
           :: else -> report!failed
           fi;
           goto next
        od
     :: chunk == CHUNKS -> report!ok; break
     od;
next: chunk = 0; tries = 0;
     if :: file++ :: file = 0 fi
  :: file == FILES -> file = 0
  od
}

active proctype receiver() {
  bit first, last, ab, expected;
  byte got;
end:
  do
  :: toReceiver?data(first, last, ab) ->
     if
     :: ab == expected -> expected = 1 - expected;
        if :: first -> got = 1 :: !first && got < CHUNKS -> got++ :: else fi
     :: else
     fi;
     toSender!ack
  od
}

active proctype lossy() {
  do
  :: toReceiver?data(_, _, _)
  :: toSender?ack
  od
}

active proctype user() {
end:
  do
  :: report?_
  od
}
