/*
 * LCP, the firmware for Berkeley-VIA on the Myrinet network interface card, after H.-W. Jin, K.-S. Bang, C. Yoo,
 * J.-Y. Choi and H. Cha, "Bottleneck Analysis of a Gigabit Network Interface Card: Formal Verification Approach".
 * Their appendix A prints hostDma and lcpTx; these stand here as printed, and what is ours in them has a comment.
 * README.md beside this file goes through the paper figure by figure.
 *
 * Shows: methods called by rendezvous, DMA engines as processes, formulas that don't ask what their authors meant.
 * Expected: no assertion fails, no deadlock. The verdict of each formula stands at the formula. Never reached: the
 * printed branches `else -> skip` for events that nobody sends.
 */

#define ENDLESS 255                     /* as a number of packets: there is always one more */
#ifndef PACKETS
#define PACKETS 3                       /* how many packets the host sends; ENDLESS, 0 … 254 */
#endif
#ifndef ARRIVALS
#define ARRIVALS 3                      /* how many packets arrive from the network; ENDLESS, 0 … 254 */
#endif
#ifndef QUEUE
#define QUEUE 2                         /* how many packets the host may ask for ahead */
#endif
#ifndef NUMBERS
#define NUMBERS 3                       /* packets are numbered 0, 1, 2, 0, … to notice loss and disorder */
#endif

/* The states of figures 4, 5 and 6. */
mtype = { HostDmaIdle, HostDmaBusy };
mtype = { LcpTxIdle, LcpTxGotASend, LcpTxHostDma, LcpTxSendDma, LcpTxInvokeRx };
mtype = { LcpRxReady, LcpRxGotAReceive, LcpRxHostDma };

mtype hd_state = HostDmaIdle;
mtype lt_state = LcpTxIdle;
mtype lr_state = LcpRxReady;

/* The events. */
mtype = { HostDmaRequest, HostDmaDone, GotASend, ReceiveDone, LcpRxDone };

/* To call a method, and to return from it. */
chan Tohd = [0] of { mtype };
chan Tolt = [0] of { mtype };
chan Tolr = [0] of { mtype };
chan ret2txrx = [0] of { mtype };       /* from hostDma to lcpTx or lcpRx */
chan ret2tx = [0] of { mtype };         /* from lcpRx to lcpTx */
chan ret2lcp = [0] of { mtype };        /* from lcpTx or lcpRx to main */

/* The interrupt status register, ISR: an engine sets its bit when it is done. */
bit dma_int;                            /* EBUS-LBUS DMA */
bit send_int;                           /* send-DMA */
bit recv_int;                           /* receive-DMA */

/* Memories and wires. A packet is its number. */
chan hostQueue = [QUEUE] of { byte };   /* main memory: packets to be sent */
byte sramOut;                           /* SRAM: the packet that goes out */
byte sramIn;                            /* SRAM: the packet that came in */
chan wireIn = [1] of { byte };          /* the network holds a packet back until the card takes it */
byte toSend = PACKETS;                  /* packets that the host has not asked for yet */
byte toArrive = ARRIVALS;               /* packets that the network has not delivered yet */

/* The names of section 4. */
#define LTIR (lt_state == LcpTxInvokeRx)
#define LTHD (lt_state == LcpTxHostDma)
#define LRR (lr_state == LcpRxReady)
#define LRHD (lr_state == LcpRxHostDma)
#define HDB (hd_state == HostDmaBusy)

/* When an engine works: it has been started, and is not done. */
#define EBUS_RUNS (HDB && dma_int == 0)
#define SEND_RUNS ((lt_state == LcpTxSendDma || LTIR) && send_int == 0)
#define RECV_RUNS (LRR && recv_int == 0)

/* Figure 4, appendix A: the EBUS-LBUS DMA. */
active proctype hostDma()
{
    int event;

    do
    :: (hd_state == HostDmaIdle) ->
end_idle:                               /* ours: who waits for a call is not stuck */
        Tohd?event;
        if
        :: (event == HostDmaRequest) ->
            hd_state = HostDmaBusy
        :: else -> skip
        fi;
        do
        :: (dma_int == 1) ->
            hd_state = HostDmaIdle;
            dma_int = 0;
            goto endofhd
        od;
    endofhd:
        ret2txrx!HostDmaDone
    od
}

/* Figure 5, appendix A: sending. */
active proctype lcpTx()
{
    int event;

    do
    :: (lt_state == LcpTxIdle) ->
end_idle:                               /* ours */
        Tolt?event;
        if
        :: (event == GotASend) ->
            lt_state = LcpTxGotASend;
            Tohd!HostDmaRequest;
            lt_state = LcpTxHostDma;
            ret2txrx?event;
            if
            :: (event == HostDmaDone) ->
fetched:        lt_state = LcpTxSendDma;        /* the label is ours */
                do
                :: if
                :: (send_int == 1) ->
sent:               lt_state = LcpTxIdle;       /* the label is ours */
                    send_int = 0;
                    goto endoflt
                :: (recv_int == 1) ->
                    lt_state = LcpTxInvokeRx;
                    Tolr!ReceiveDone;
                    ret2tx?event;
                    if
                    :: (event == LcpRxDone) ->
                        lt_state = LcpTxSendDma
                    :: else -> skip
                    fi
                :: else -> skip
                fi
                od
            :: else -> skip
            fi
        :: else -> skip
        fi;
    endoflt:
        ret2lcp!0
    od
}

/* Figure 6, written after lcpTx: receiving. */
active proctype lcpRx()
{
    int event;

    do
    :: (lr_state == LcpRxReady) ->      /* the receive-DMA waits for a packet */
end_ready:
        Tolr?event;
        if
        :: (event == ReceiveDone) ->
            lr_state = LcpRxGotAReceive;
            recv_int = 0;
            Tohd!HostDmaRequest;
            lr_state = LcpRxHostDma;
            ret2txrx?event;
            if
            :: (event == HostDmaDone) ->
received:       lr_state = LcpRxReady
            :: else -> skip
            fi
        :: else -> skip
        fi;
        if                              /* back to who called */
        :: LTIR -> ret2tx!LcpRxDone
        :: else -> ret2lcp!0
        fi
    od
}

/* Section 3.1: calls lcpTx and lcpRx in turn, each if there is something for it. */
active proctype main()
{
    int event;

end_nothing_to_do:
    do
    :: (nempty(hostQueue) || recv_int == 1) ->
        if
        :: (nempty(hostQueue)) ->
            Tolt!GotASend;
            ret2lcp?event
        :: (empty(hostQueue)) -> skip
        fi;
        if
        :: (recv_int == 1) ->
            Tolr!ReceiveDone;
            ret2lcp?event
        :: else -> skip
        fi
    od
}

/* Section 2: the three DMA engines. They are processes of their own, for they work at the same time; and fairness is
   among processes, so that each of them gets on. A transfer is one step, possible while the engine works. */
active proctype ebusDma()
{
    byte expected;

end_off:
ebus_done:
    atomic {
        EBUS_RUNS ->
        if
        :: LRR ->                       /* lcpRx is at rest: this is for lcpTx */
            hostQueue?sramOut
        :: else ->
            assert(sramIn == expected);         /* each packet reaches the host once and in order */
            expected = (expected + 1) % NUMBERS
        fi;
        dma_int = 1
    };
    goto ebus_done
}

active proctype sendDma()
{
    byte expected;

end_off:
send_done:
    atomic {
        SEND_RUNS ->
        assert(sramOut == expected);    /* each packet goes out once and in order */
        expected = (expected + 1) % NUMBERS;
        send_int = 1
    };
    goto send_done
}

active proctype recvDma()
{
end_off:
recv_done:
    atomic {
        (RECV_RUNS && nempty(wireIn)) ->
        wireIn?sramIn;
        recv_int = 1
    };
    goto recv_done
}

/* The environment. */
active proctype host()
{
    byte number;

end_all_sent:
asks:
    atomic {
        (toSend > 0 && nfull(hostQueue)) ->
        hostQueue!number;
        number = (number + 1) % NUMBERS;
        toSend = toSend - (PACKETS != ENDLESS)
    };
    goto asks
}

active proctype network()
{
    byte number;

end_all_delivered:
arrives:
    atomic {
        (toArrive > 0 && nfull(wireIn)) ->
        wireIn!number;
        number = (number + 1) % NUMBERS;
        toArrive = toArrive - (ARRIVALS != ENDLESS)
    };
    goto arrives
}

/* Section 4. For SPIN, `<> a` says that every run comes to a: overlap is inevitable. `[] !a` says that no run does: if
   it fails, its counterexample shows the overlap. README.md has the verdicts under other loads. */

/* Holds. */
ltl one_user_of_ebus { [] !(LTHD && LRHD) }

/* Formula 1-A as printed. Both fail, also with weak fairness: lcpTx may call lcpRx during a send-DMA, and lcpRx then
   uses the host DMA; but packets may also arrive at other times. The paper says False of the second. */
ltl overlap_1A_never { [] !(LTIR && HDB && !LTHD) }
ltl overlap_1A_inevitable { <> (LTIR && HDB && !LTHD) }

/* Formula 1-B as printed. The first fails. The second holds as soon as the host sends one packet: while lcpTx uses the
   host DMA, lcpRx is in LcpRxReady. With an endless supply of arrivals it needs weak fairness. The paper says False. */
ltl overlap_1B_never { [] !(LRR && HDB && !LRHD) }
ltl overlap_1B_inevitable { <> (LRR && HDB && !LRHD) }

/* What the paper asks in words: does the send-DMA work while the host DMA moves data from main memory to SRAM, or the
   receive-DMA while it moves data from SRAM to main memory? Both hold: never. This is the bottleneck of LCP. */
ltl send_overlap_never { [] !(SEND_RUNS && EBUS_RUNS && LRR) }
ltl receive_overlap_never { [] !(RECV_RUNS && EBUS_RUNS && !LRR) }

/* Fails: what LCP can do at a time is to send one packet and to give another one to the host. */
ltl cross_overlap_never { [] !(SEND_RUNS && EBUS_RUNS && !LRR) }

/* Ours: every packet gets through. Holds with weak fairness; without it lcpTx may ask for ever whether the send-DMA is
   done. */
#if PACKETS != ENDLESS && ARRIVALS != ENDLESS
#define ALL_SENT (toSend == 0 && len(hostQueue) == 0 && lt_state == LcpTxIdle)
#define ALL_RECEIVED (toArrive == 0 && len(wireIn) == 0 && recv_int == 0 && LRR)
ltl nothing_is_left { <> [] (ALL_SENT && ALL_RECEIVED) }
#endif
