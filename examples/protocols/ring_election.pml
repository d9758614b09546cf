/*
 * Chang and Roberts: the processes of a ring elect the one with the highest number. Each sends its number around;
 * a process passes on what is higher than its own and drops what is lower. Who gets its own number back has won.
 *
 * Shows: an array of channels, processes with arguments, a claim about the end of every run.
 * Expected: no assertion fails, no deadlock. Define N for another size.
 */

#ifndef N
#define N 4
#endif

mtype = { candidate, elected };
chan link[N] = [N] of { mtype, byte };
byte leaders;

proctype Node(byte place; byte number) {
  byte other;
  link[(place + 1) % N]!candidate, number;
  do
  :: link[place]?candidate, other;
     if
     :: other > number -> link[(place + 1) % N]!candidate, other
     :: other < number                  /* it can't win: dropped */
     :: other == number ->
        leaders++;
        assert(leaders == 1 && number == N);
        link[(place + 1) % N]!elected, number
     fi
  :: link[place]?elected, other;
     assert(other == N && leaders == 1);
     if
     :: other != number -> link[(place + 1) % N]!elected, other
     :: else
     fi;
     break
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. N - 1) {
      run Node(i, N - i)
    }
  }
}
