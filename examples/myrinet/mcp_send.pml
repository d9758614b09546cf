/*
 * The sending side of MCP, the Myrinet Control Program, after H.-W. Jin, K.-S. Bang, J.-Y. Choi and H. Yoo, "Formal
 * Verification of MCP using SPIN" (in Korean). Their figures 3 and 5 print a part of hostSend and netSend. That part
 * stands here as printed; what is repaired or added has a comment. README.md beside this file has more.
 *
 * Shows: three formulas "whenever this, then eventually that", which say that no packet is lost.
 * Expected: no assertion fails, no deadlock; all formulas hold, without any fairness. Never reached: the printed
 * branches `else -> skip` in HostSendIdle, HostSendFull and all of netSend: no other message comes there.
 */

#define ENDLESS 255                     /* as a number of packets: there is always one more */
#ifndef PACKETS
#define PACKETS ENDLESS                 /* how many packets the host sends; ENDLESS, 0 … 254 */
#endif
#ifndef QUEUE
#define QUEUE 2                         /* how many packets the host may ask for ahead */
#endif
#ifndef BUFFERS
#define BUFFERS 2                       /* buffers in the card for packets that go out */
#endif

/* The states of figures 2 and 4, but for HostSendDmaBusy and NetSendWaiting, which belong to receiving. */
mtype = { HostSendIdle, HostSendGotASend, HostSendFull, HostSendNotFull, HostSendDma, HostSendDmaDone };
mtype = { NetSendIdle, NetSendGotASend, NetSendBusy, NetSendDmaDone };

mtype hs_state = HostSendIdle;
mtype ns_state = NetSendIdle;

/* The events. SendDmaDone is named as in the paper of mcp.pml. */
mtype = { GotASend, NetSendQueueNotEmpty, NetSendQueueNotFull, SendDmaDone, NetSendSendDone };

chan hsqueue = [QUEUE] of { mtype };    /* packets in main memory */
chan nsqueue = [BUFFERS] of { mtype };  /* packets in the card */
chan tohs = [BUFFERS + 2] of { mtype }; /* events for hostSend; netSend never waits, for it fits in */
chan tons = [1] of { mtype };           /* events for netSend */

bit DmaInUse;                           /* the host DMA works for hostSend */
bit dma_int;                            /* … and is done */
bit SendMultiplexMachine;               /* the network is taken */
bit ns_flag;                            /* the send-DMA is started */

byte toSend = PACKETS;                  /* packets that the host has not asked for yet */
byte onWire;                            /* packets that have left the card, if the supply has an end */

/* Figures 2 and 3. The paper also declares `num`, and prints nothing that uses it. */
active proctype hostSend()
{
    int msg;
    do
        ::(hs_state == HostSendIdle) ->
end_idle:                               /* ours: who has nothing to send is not stuck */
            hsqueue?msg;
            if
                ::(msg == GotASend) ->
                    hs_state = HostSendGotASend
                :: else ->
                    skip
            fi
        ::(hs_state == HostSendGotASend) ->
            if
                ::(full(nsqueue)) ->
                    hs_state = HostSendFull
                ::(nfull(nsqueue) && DmaInUse==0) ->    /* printed: full, a second time */
                    DmaInUse = 1;
                    hs_state = HostSendDma
            fi
        ::(hs_state == HostSendFull) ->
            tohs?msg;                   /* printed: tons, the channel of netSend */
            if
                ::(msg == NetSendQueueNotFull) ->
                    hs_state = HostSendNotFull
                :: else ->
                    skip
            fi
        ::(hs_state == HostSendNotFull) ->      /* not printed; after figure 2 */
            if
                ::(DmaInUse==0) ->
                    DmaInUse = 1;
                    hs_state = HostSendDma
            fi
        ::(hs_state == HostSendDma) ->
            tohs?msg;
            if
                ::(msg == SendDmaDone) ->       /* printed: the lines of HostSendFull, a second time */
                    hs_state = HostSendDmaDone
                :: else ->
                    skip
            fi
        ::(hs_state == HostSendDmaDone) ->      /* not printed; after figure 2 */
            DmaInUse = 0;
            dma_int = 0;
            nsqueue!NetSendQueueNotEmpty;
            hs_state = HostSendIdle
    od
}

/* Figures 4 and 5. */
active proctype netSend()
{                                       /* printed without the brace */
int msg;
do
::(ns_state == NetSendIdle) ->
end_idle:                               /* ours */
    nsqueue?msg;
    if
    ::(msg == NetSendQueueNotEmpty) ->
        ns_state = NetSendGotASend
    :: else ->
        skip
    fi
::(ns_state == NetSendGotASend) ->
    if
    ::(SendMultiplexMachine == 0) ->
        SendMultiplexMachine = 1;
        ns_state = NetSendBusy
    :: else ->
        skip
    fi
::(ns_state == NetSendBusy) ->
    ns_flag = 1;
    tons?msg;
    if
    ::(msg == NetSendSendDone) ->
        SendMultiplexMachine = 0;
        tohs!NetSendQueueNotFull;
sent:   ns_state = NetSendDmaDone       /* the label is ours */
    :: else ->
        skip
    fi
::(ns_state == NetSendDmaDone) ->       /* not printed; after figure 4 */
    ns_state = NetSendIdle
od
}

/* The two DMA engines that take part. */
active proctype ebusDma()
{
end_off:
ebus_done:
    atomic {
        (DmaInUse == 1 && dma_int == 0) ->
        assert(nfull(tohs));
        dma_int = 1;
        tohs!SendDmaDone
    };
    goto ebus_done
}

active proctype sendDma()
{
end_off:
send_done:
    atomic {
        (ns_flag == 1) ->
        assert(nfull(tohs));            /* netSend is about to put NetSendQueueNotFull there */
        ns_flag = 0;
        onWire = onWire + (PACKETS != ENDLESS);
        tons!NetSendSendDone
    };
    goto send_done
}

/* The environment. */
active proctype host()
{
end_all_sent:
asks:
    atomic {
        (toSend > 0 && nfull(hsqueue)) ->
        toSend = toSend - (PACKETS != ENDLESS);
        hsqueue!GotASend
    };
    goto asks
}

/* Figure 6. All three hold, and need no fairness, as in the paper: if some process is left out for ever, the queues run
   full or empty, and soon nobody else can move. */
#define p (hs_state == HostSendGotASend)
#define q (hs_state == HostSendDmaDone)
#define r (ns_state == NetSendGotASend)
#define s (ns_state == NetSendDmaDone)

ltl host_dma_ends { [] (p -> <> q) }
ltl send_dma_ends { [] (r -> <> s) }
ltl packet_leaves { [] (p -> <> s) }

/* Ours: the formulas above would also hold if one packet in two were lost. */
#if PACKETS != ENDLESS
ltl all_packets_leave { <> (onWire == PACKETS) }
#endif
