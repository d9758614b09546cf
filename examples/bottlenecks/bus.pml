/*
 * A pipeline of two stages that take their data from memory and write it back. Stage 1 reads a block and works on it;
 * stage 2 goes on with the work and writes the block. Both need a bus to memory: the same one, or with SEPARATE one
 * each. With POSTED, stage 2 leaves the writing to a write buffer for one block.
 *
 * Shows: a bus that is always busy; a variant that removes the bottleneck, and one that does not.
 * Expected: no assertion fails, no deadlock, in all variants.
 */
#ifdef SEPARATE
#define BUSES 2
#else
#define BUSES 1
#endif
#define READ_BUS 0
#define WRITE_BUS (BUSES - 1)

bit taken[BUSES];                       /* buses in use */
byte users[BUSES];
chan between = [1] of { bit };          /* a block that is ready for stage 2 */
chan to_write = [0] of { bit };

#define TAKE(bus) atomic { !taken[bus] -> taken[bus] = 1; users[bus]++; assert(users[bus] == 1) }
#define GIVE(bus) d_step { users[bus]--; taken[bus] = 0 }

active proctype stage1() {
  do
  :: TAKE(READ_BUS);
read:
     GIVE(READ_BUS);
worked:
     between!1
  od
}

active proctype stage2() {
  do
  :: between?_ ->
worked:
     skip;
#ifdef POSTED
     to_write!1
#else
     TAKE(WRITE_BUS);
written:
     GIVE(WRITE_BUS)
#endif
  od
}

#ifdef POSTED
active proctype writer() {
  do
  :: to_write?_ ->
     TAKE(WRITE_BUS);
written:
     GIVE(WRITE_BUS)
  od
}
#endif
