/* Host, submission queue, DMA engine, flash channels. */
#ifndef CHANNELS
#define CHANNELS 2
#endif
#ifndef DEPTH
#define DEPTH 2
#endif
chan submission = [DEPTH] of { byte };
chan fetched = [DEPTH] of { byte };
chan pages = [DEPTH] of { byte };
chan done = [DEPTH] of { byte };
bit dma_busy;
byte reading;
byte outstanding;

active proctype host() {
    byte command;
    do
    :: atomic { outstanding < DEPTH -> outstanding++ };
       submit: submission!1
    :: atomic { done?command -> outstanding-- };
       complete: skip
    od
}

active proctype dma() {
    byte command;
idle:
    if
    :: atomic { pages?command -> dma_busy = 1 };
       back:  atomic { dma_busy = 0; done!command }
    :: atomic { empty(pages) && submission?[_] -> submission?command; dma_busy = 1 };
       fetch: atomic { dma_busy = 0; fetched!command }
    fi;
    goto idle
}

active [CHANNELS] proctype channel() {
    byte command;
next:
    atomic { fetched?command -> reading++ };
flash:
    atomic { reading--; pages!command };
    goto next
}
