/* An NVMe-like drive: how long does a read take, and what limits how many there are?
 *
 * A host keeps up to four reads outstanding, one for each slot of its submission queue. The drive fetches a command by DMA,
 * reads a page on the flash channel that has it, and sends the data back by the same DMA engine. Results come in any order.
 * What each step takes is said in nvme.toml.
 */
#ifndef CHANNELS
#define CHANNELS 2
#endif
#ifndef DEPTH
#define DEPTH 4
#endif

chan submission = [DEPTH] of { byte };              /* commands that wait to be fetched */
chan fetched[CHANNELS] = [DEPTH] of { byte };       /* commands that wait for a flash channel */
chan pages = [DEPTH] of { byte };                   /* data that waits for the DMA engine */
bit finished[DEPTH];
bit dma_busy;
byte reading;

active [DEPTH] proctype slot() {
think:
    skip;
submit:
    submission!_pid;
complete:
    atomic { finished[_pid] -> finished[_pid] = 0 };
    goto think
}

active proctype dma() {
    byte command;
idle:
    if
    :: atomic { pages?command -> dma_busy = 1 };
       back:  atomic { dma_busy = 0; finished[command] = 1 }
    :: atomic { empty(pages) && submission?[_] -> submission?command; dma_busy = 1 };
       fetch: dma_busy = 0;
       page:
       if
       :: fetched[0]!command
       :: fetched[1]!command
#if CHANNELS > 2
       :: fetched[2]!command
       :: fetched[3]!command
#endif
#if CHANNELS > 4
       :: fetched[4]!command
       :: fetched[5]!command
       :: fetched[6]!command
       :: fetched[7]!command
#endif
       fi
    fi;
    goto idle
}

active [CHANNELS] proctype channel() {
    byte command;
next:
    atomic { fetched[_pid - DEPTH - 1]?command -> reading++ };
flash:
    atomic { reading--; pages!command };
    goto next
}
