/* Blocks of a file are copied between caches with long messages: a state vector of more than 400 bytes. */
#ifndef NODES
#define NODES 2
#endif
#define WORDS 48
#define LINES 2

typedef block { byte word[WORDS] };
typedef cache { block line[LINES]; bit valid[LINES] };
cache node[NODES];
block memory[LINES];
chan bus = [2] of { byte, byte, block };

proctype cpu(byte me) {
  byte i, w;
  do
  :: atomic { i = 0; do :: i < LINES - 1 -> i++ :: break od };
     if
     :: node[me].valid[i] ->
        if
        :: d_step { w = node[me].line[i].word[0]; node[me].line[i].word[0] = (w + 1) % 2; w = 0 }
        :: atomic { nfull(bus) -> bus!me, i, node[me].line[i]; node[me].valid[i] = 0 }
        :: skip
        fi
     :: else ->
        d_step {
          w = 0;
          do
          :: w < WORDS -> node[me].line[i].word[w] = memory[i].word[w]; w++
          :: else -> break
          od;
          w = 0;
          node[me].valid[i] = 1
        }
     fi;
     i = 0
  od
}

active proctype controller() {
  byte who, i;
  block data;
  byte w;
end:
  do
  :: atomic { bus?who, i, data -> 
       w = 0;
       do
       :: w < WORDS -> memory[i].word[w] = data.word[w]; data.word[w] = 0; w++
       :: else -> break
       od;
       w = 0; who = 0; i = 0 }
  od
}

init { byte i; atomic { do :: i < NODES -> run cpu(i); i++ :: else -> break od; i = 0 } }
