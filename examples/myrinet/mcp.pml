/*
 * MCP, the Myrinet Control Program: the firmware that carries TCP/IP on the Myrinet network interface card, after
 * H.-W. Jin, K.-S. Bang, C. Yoo, J.-Y. Choi and H. Cha, "Bottleneck Analysis of a Gigabit Network Interface Card:
 * Formal Verification Approach". Their appendix B prints hostSend and netSend; these stand here as printed, and what
 * is ours in them has a comment. README.md beside this file goes through the paper figure by figure.
 *
 * Shows: an event loop over state machines, DMA engines as processes, "can overlap" and "must overlap".
 * Expected: no assertion fails, no deadlock. The verdict of each formula stands at the formula. Never reached: what
 * happens when buffers are full, which takes PACKETS=3 and ARRIVALS=3; and, with these too, the branches for a queue
 * that is empty after all and some `else -> skip`, for events that never come in that state.
 */

#define ENDLESS 255                     /* as a number of packets: there is always one more */
#ifndef PACKETS
#define PACKETS 2                       /* how many packets the host sends; ENDLESS, 0 … 254 */
#endif
#ifndef ARRIVALS
#define ARRIVALS 2                      /* how many packets arrive from the network; ENDLESS, 0 … 254 */
#endif
#ifndef QUEUE
#define QUEUE 1                         /* how many packets the host may ask for ahead */
#endif
#ifndef SEND_BUFFERS
#define SEND_BUFFERS 1                  /* buffers in SRAM for packets that wait to go out */
#endif
#ifndef RECEIVE_BUFFERS
#define RECEIVE_BUFFERS 2               /* buffers in SRAM for packets that wait for the host */
#endif
#ifndef NUMBERS
#define NUMBERS 3                       /* packets are numbered 0, 1, 2, 0, … to notice loss and disorder */
#endif

/* The states of figures 7, 8, 9 and 10. */
mtype = { HostSendIdle, HostSendGotASend, HostSendFull, HostSendNotFull, HostSendDmaBusy, HostSendDma };
mtype = { NetSendIdle, NetSendBusy };
mtype = { HostReceiveIdle, HostReceiveGotAReceive, HostReceiveDmaBusy, HostReceiveDma };
mtype = { NetReceiveDma, NetReceiveDmaDone, NetReceiveFull };

mtype hs_state = HostSendIdle;
mtype ns_state = NetSendIdle;
mtype hr_state = HostReceiveIdle;
mtype nr_state = NetReceiveDma;

/* The events for each module. Those of the receiving side, but for ReceiveDmaFree, are named after the sending side. */
mtype = { GotASend, NetSendQueueNotFull, SendDmaFree, SendDmaDone };
mtype = { NetSendQueueNotEmpty, NetSendSendDone };
mtype = { GotAReceive, ReceiveDmaFree, ReceiveDmaDone };
mtype = { ReceiveDone, HostReceiveQueueNotFull };

chan Events = [8] of { mtype };         /* what main has yet to attend to */

/* To call a method, and to return from it. A method may return several events, and 0 at last. */
chan Tohs = [0] of { mtype };
chan Tons = [0] of { mtype };
chan Tohr = [0] of { mtype };
chan Tonr = [0] of { mtype };
chan Return = [0] of { mtype };

/* The interrupt status register, ISR: an engine sets its bit when it is done. */
bit host_int;                           /* the host asks to send */
bit dma_int;                            /* EBUS-LBUS DMA */
bit send_int;                           /* send-DMA */
bit recv_int;                           /* receive-DMA */

bit DmaInUse;                           /* the EBUS-LBUS DMA belongs to hostSend or hostReceive */

/* Memories and wires. A packet is its number. */
chan hs_buffer = [QUEUE] of { byte };   /* main memory: packets to be sent */
byte hs_data;
chan ns_buffer = [SEND_BUFFERS] of { byte };    /* SRAM: packets that go out */
byte ns_data;
chan hr_buffer = [RECEIVE_BUFFERS] of { byte }; /* SRAM: packets that came in */
byte hr_data;
byte nr_data;
chan wireIn = [1] of { byte };          /* the network holds a packet back until the card takes it */
byte toSend = PACKETS;                  /* packets that the host has not asked for yet */
byte toArrive = ARRIVALS;               /* packets that the network has not delivered yet */

/* The names of section 4. */
#define HSD (hs_state == HostSendDma)
#define NSB (ns_state == NetSendBusy)
#define HRD (hr_state == HostReceiveDma)
#define NRD (nr_state == NetReceiveDma)

/* When an engine works: it has been started, and is not done. */
#define EBUS_RUNS ((HSD || HRD) && dma_int == 0)
#define SEND_RUNS (NSB && send_int == 0)
#define RECV_RUNS (NRD && recv_int == 0)

/* For formulas about a host that is faster than the card: its send queue is full whenever the firmware looks. */
#define LOOKS (main@end_nothing_to_do && \
               (len(Events) > 0 || host_int == 1 || dma_int == 1 || send_int == 1 || recv_int == 1))
#define QUEUE_KEPT_FULL ([] (LOOKS -> len(hs_buffer) == QUEUE || toSend == 0))

/* Figure 7, appendix B: from main memory to SRAM. */
active proctype hostSend()
{
  int event;
  do
  :: (hs_state == HostSendIdle) ->
end_idle:                               /* ours: who has nothing to send is not stuck */
    Tohs?event;
    if
    :: (event == GotASend) ->
      if
      :: (nempty(hs_buffer)) ->
        hs_buffer?hs_data;
        hs_state = HostSendGotASend;
        if
        :: (full(ns_buffer)) ->
          hs_state = HostSendFull
        :: (nfull(ns_buffer)) ->
          if
          :: (DmaInUse==1) ->
            hs_state = HostSendDmaBusy
          :: else ->
            DmaInUse = 1;
            hs_state = HostSendDma
          fi
        fi
      :: (empty(hs_buffer)) -> skip
    fi
  :: else -> skip
  fi;
  Return!0
  :: (hs_state == HostSendFull) ->
    Tohs?event;
    if
    :: (event == NetSendQueueNotFull) ->
      hs_state = HostSendNotFull;
      if
      :: (DmaInUse == 1) ->
        hs_state = HostSendDmaBusy
      :: else ->
        DmaInUse = 1;
        hs_state = HostSendDma
      fi
    :: else -> skip
    fi;
  Return!0

:: (hs_state == HostSendDmaBusy) ->
    Tohs?event;
    if
    :: (event == SendDmaFree) ->
        hs_state = HostSendDma
    :: else -> skip
    fi;
    Return!0

:: (hs_state == HostSendDma) ->
    Tohs?event;
    if
    :: (event == SendDmaDone) ->
        DmaInUse = 0;
        if
        :: (hr_state == HostReceiveDmaBusy) ->
            Return!ReceiveDmaFree;
            DmaInUse = 1
        :: else -> skip
        fi;
        ns_buffer!hs_data;
        Return!NetSendQueueNotEmpty;
        if
        :: (nempty(hs_buffer)) ->
            Return!GotASend
        :: (empty(hs_buffer)) -> skip
        fi;
        hs_state = HostSendIdle;
        dma_int = 0
    :: else -> skip
    fi;
    Return!0
od
}

/* Figure 8, appendix B: from SRAM to the network. */
active proctype netSend()
{
  int event;

  do
  :: (ns_state == NetSendIdle) ->
end_idle:                               /* ours */
    Tons?event;
    if
    :: (event == NetSendQueueNotEmpty) ->
      if
      :: (nempty(ns_buffer)) ->
        ns_buffer?ns_data;
        ns_state = NetSendBusy
      :: (empty(ns_buffer)) -> skip
      fi
    :: else -> skip
    fi;
    Return!0

  :: (ns_state == NetSendBusy) ->
    Tons?event;
    if
    :: (event == NetSendSendDone) ->
      Return!NetSendQueueNotFull;
      if
      :: (nempty(ns_buffer)) ->
        Return!NetSendQueueNotEmpty
      :: (empty(ns_buffer)) -> skip
      fi;
sent: ns_state = NetSendIdle;           /* the label is ours */
      send_int = 0
    :: else -> skip
    fi;
    Return!0

  od
}

/* Figure 9, written after hostSend: from SRAM to main memory. */
active proctype hostReceive()
{
  int event;

  do
  :: (hr_state == HostReceiveIdle) ->
end_idle:
    Tohr?event;
    if
    :: (event == GotAReceive) ->
      if
      :: (nempty(hr_buffer)) ->
        hr_buffer?hr_data;
        hr_state = HostReceiveGotAReceive;
        if
        :: (DmaInUse == 1) ->
          hr_state = HostReceiveDmaBusy
        :: else ->
          DmaInUse = 1;
          hr_state = HostReceiveDma
        fi
      :: (empty(hr_buffer)) -> skip
      fi
    :: else -> skip
    fi;
    Return!0

  :: (hr_state == HostReceiveDmaBusy) ->
    Tohr?event;
    if
    :: (event == ReceiveDmaFree) ->
      hr_state = HostReceiveDma
    :: else -> skip
    fi;
    Return!0

  :: (hr_state == HostReceiveDma) ->
    Tohr?event;
    if
    :: (event == ReceiveDmaDone) ->
      DmaInUse = 0;
      if
      :: (hs_state == HostSendDmaBusy) ->
        Return!SendDmaFree;
        DmaInUse = 1
      :: else -> skip
      fi;
      Return!HostReceiveQueueNotFull;
      if
      :: (nempty(hr_buffer)) ->
        Return!GotAReceive
      :: (empty(hr_buffer)) -> skip
      fi;
received:
      hr_state = HostReceiveIdle;
      dma_int = 0
    :: else -> skip
    fi;
    Return!0
  od
}

/* Figure 10, written after netSend: from the network to SRAM. */
active proctype netReceive()
{
  int event;

  do
  :: (nr_state == NetReceiveDma) ->
end_ready:
    Tonr?event;
    if
    :: (event == ReceiveDone) ->
      nr_state = NetReceiveDmaDone;
      recv_int = 0;
      hr_buffer!nr_data;
      Return!GotAReceive;
      if
      :: (full(hr_buffer)) ->
        nr_state = NetReceiveFull
      :: (nfull(hr_buffer)) ->
        nr_state = NetReceiveDma
      fi
    :: else -> skip
    fi;
    Return!0

  :: (nr_state == NetReceiveFull) ->
    Tonr?event;
    if
    :: (event == HostReceiveQueueNotFull) ->
      nr_state = NetReceiveDma
    :: else -> skip
    fi;
    Return!0
  od
}

/* Section 3.2: takes an event and calls the method that it is for. If there is none, main looks at the ISR, bit by bit.
   It does each in one step: nobody else reads Events, and the bits are set at any time in any case. */
active proctype main()
{
  int event;

end_nothing_to_do:
  do
  :: atomic {
      (nempty(Events)) ->
      Events?event;
      if
      :: (event == GotASend || event == NetSendQueueNotFull || event == SendDmaFree || event == SendDmaDone) ->
        Tohs!event
      :: (event == NetSendQueueNotEmpty || event == NetSendSendDone) ->
        Tons!event
      :: (event == GotAReceive || event == ReceiveDmaFree || event == ReceiveDmaDone) ->
        Tohr!event
      :: (event == ReceiveDone || event == HostReceiveQueueNotFull) ->
        Tonr!event
      fi;
      do
      :: Return?event ->
        if
        :: (event == 0) -> break
        :: else ->
          assert(nfull(Events));        /* or main would wait for itself */
          Events!event
        fi
      od
    }
  :: atomic {
      (empty(Events) && (host_int == 1 || dma_int == 1 || send_int == 1 || recv_int == 1)) ->
      if
      :: (host_int == 1) ->
        host_int = 0;
        Events!GotASend
      :: else -> skip
      fi;
      if
      :: (dma_int == 1 && HSD) -> Events!SendDmaDone
      :: (dma_int == 1 && HRD) -> Events!ReceiveDmaDone
      :: else -> skip
      fi;
      if
      :: (send_int == 1) -> Events!NetSendSendDone
      :: else -> skip
      fi;
      if
      :: (recv_int == 1) -> Events!ReceiveDone
      :: else -> skip
      fi
    }
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
    :: HSD
    :: HRD ->
      assert(hr_data == expected);      /* each packet reaches the host once and in order */
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
    assert(ns_data == expected);        /* each packet goes out once and in order */
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
    wireIn?nr_data;
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
    (toSend > 0 && nfull(hs_buffer)) ->
    hs_buffer!number;
    host_int = 1;
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
   it fails, its counterexample shows the overlap. No verdict below depends on fairness. README.md has the verdicts
   under other loads. */

/* Holds. */
ltl one_user_of_ebus { [] !(HSD && HRD) }

/* Formula 2-A. Both fail: the overlap is possible, but a slow host avoids it, and so does a packet that arrives in time
   to take the EBUS-LBUS DMA. The paper says True of the second. The third assumes that the host keeps its send queue
   full. It holds if more than ARRIVALS + 1 packets are to be sent, such as with PACKETS=3 and ARRIVALS=1. */
ltl overlap_2A_never { [] !(HSD && NSB) }
ltl overlap_2A_inevitable { <> (HSD && NSB) }
ltl overlap_2A_loaded { QUEUE_KEPT_FULL -> <> (HSD && NSB) }

/* Formula 2-B. The first fails, the second holds, as the paper says. With RECEIVE_BUFFERS=1 it is the other way
   round. */
ltl overlap_2B_never { [] !(HRD && NRD) }
ltl overlap_2B_inevitable { <> (HRD && NRD) }

/* The same of the engines themselves: NetSendBusy lasts until main looks at send_int, and the engine may be done long
   before. All fail, with a full queue too: the overlap is possible, and how long transfers take decides whether it
   happens. */
ltl send_overlap_never { [] !(HSD && EBUS_RUNS && SEND_RUNS) }
ltl send_overlap_inevitable { <> (HSD && EBUS_RUNS && SEND_RUNS) }
ltl receive_overlap_never { [] !(HRD && EBUS_RUNS && RECV_RUNS) }

/* Ours: every packet gets through. Holds. */
#if PACKETS != ENDLESS && ARRIVALS != ENDLESS
#define ALL_SENT (toSend == 0 && len(hs_buffer) == 0 && hs_state == HostSendIdle && \
                  len(ns_buffer) == 0 && ns_state == NetSendIdle)
#define ALL_RECEIVED (toArrive == 0 && len(wireIn) == 0 && recv_int == 0 && NRD && \
                      len(hr_buffer) == 0 && hr_state == HostReceiveIdle)
ltl nothing_is_left { <> [] (ALL_SENT && ALL_RECEIVED) }
#endif
