/* Jobs that are done quickly or slowly: who decides, and how, is left open. */
byte job;

active proctype router() {
  do
  :: job == 0 -> start: skip;
     if
     :: job = 1
     :: job = 2
     fi
  :: job == 1 -> quick: job = 0
  :: job == 2 -> slow: job = 0
  od
}
