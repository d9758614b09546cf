//! Rounds: what is sent in one has all arrived before the next begins.
//!
//! One operator of Timely Dataflow in a loop does that. A round is a timestamp. A worker that works in round
//! *t* holds the capability of *t*, and what it sends arrives in *t* + 1; when it has finished, it downgrades
//! to *t* + 1 and waits until the frontier says that nothing of *t* + 1 is under way any more. What arrives
//! is given to the member at once, also while it still works.
//!
//! Operators must own what they use, and run in threads of Timely Dataflow; a member borrows a model. So the
//! operator only carries packets to and fro ([`carry`]), and the member works in a thread of its own
//! ([`take_part`]).

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
// How long to park is no look at the clock.
use core::time::Duration;

use timely::container::NoopBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{ConnectLoop, Feedback};
use timely::scheduling::SyncActivator;
use timely::worker::Worker;

use crate::link::Trouble;
use crate::outgoing::{BlockKind, Outgoing};
use crate::packet::{Packet, Post};

/// What one worker does in all rounds.
pub(crate) trait Member {
    /// Takes a block; what it answers arrives before the end of the next round.
    fn receive(&mut self, from: usize, kind: BlockKind, block: &[u8], out: &mut Outgoing);

    /// Hears that a round begins: everything that was sent in the one before has arrived.
    fn begin(&mut self, out: &mut Outgoing);

    /// Does a part of a round's work.
    fn work(&mut self, out: &mut Outgoing) -> Work;
}

/// How far the work of a round is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// There is more.
    More,
    /// Others must take first what was sent.
    Waits,
    /// That was all for this round.
    Done,
    /// There will be no other round.
    Over,
}

/// Another process can't be reached any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lost;

/// What carrier and member share.
#[derive(Default)]
struct Shared {
    inbox: VecDeque<(u64, Packet)>,
    outbox: Vec<Packet>,
    /// The round to hold open; `None` at the end.
    round: Option<u64>,
    /// Every round before this one is complete.
    complete: u64,
    /// Wakes the carrier.
    activator: Option<SyncActivator>,
    /// Whether the carrier has ended.
    is_over: bool,
}

/// Between a carrier and its member.
pub(crate) struct Hatch {
    shared: Mutex<Shared>,
    /// Wakes the member.
    bell: Condvar,
}

impl Hatch {
    pub(crate) fn new() -> Hatch {
        let shared = Shared { round: Some(0), ..Shared::default() };
        Hatch { shared: Mutex::new(shared), bell: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what has arrived, and which rounds are complete; waits for news a while, if it may.
    fn take(&self, round: u64, may_wait: bool) -> (VecDeque<(u64, Packet)>, u64) {
        let mut shared = self.lock();
        if may_wait && shared.inbox.is_empty() && shared.complete <= round && !shared.is_over {
            shared = match self.bell.wait_timeout(shared, LOOK_UP) {
                Ok((shared, _)) => shared,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        (std::mem::take(&mut shared.inbox), shared.complete)
    }

    /// Gives the carrier what is to be sent, and the round to hold open from then on.
    fn give(&self, out: &mut Outgoing, round: Option<u64>) {
        let mut packets = out.take();
        let mut shared = self.lock();
        if packets.is_empty() && shared.round == round {
            return;
        }
        shared.outbox.append(&mut packets);
        shared.round = round;
        if let Some(activator) = &shared.activator {
            // A carrier that is gone has said so.
            let _ = activator.activate();
        }
    }
}

/// Without news, everybody looks up after this time.
pub(crate) const LOOK_UP: Duration = Duration::from_millis(50);

/// Takes part in rounds until they are over.
pub(crate) fn take_part(
    hatch: &Hatch,
    out: &mut Outgoing,
    member: &mut dyn Member,
    trouble: &Trouble,
) -> Result<(), Lost> {
    let mut round = 0;
    let mut works = true;
    let mut is_busy = true;
    member.begin(out);
    loop {
        if trouble.is_known() {
            return Err(Lost);
        }
        // While it works, it holds its round open, and so the next one can't be complete.
        let (packets, complete) = hatch.take(round + u64::from(works), !is_busy);
        for (time, packet) in packets {
            let kind = packet.bytes.first().and_then(|kind| BlockKind::of(*kind));
            if time > round && !works && kind.is_some_and(BlockKind::is_work) {
                // Somebody else has seen first that the round is complete. An answer says nothing about that:
                // it may come from somebody who waits, too.
                works = true;
                member.begin(out);
            }
            receive(member, &packet, out);
        }
        if !works && complete > round {
            works = true;
            member.begin(out);
        }
        out.flush_answers();
        is_busy = false;
        if works {
            match member.work(out) {
                Work::More => is_busy = true,
                Work::Waits => {}
                Work::Done => {
                    out.flush();
                    round += 1;
                    works = false;
                }
                Work::Over => break,
            }
        }
        hatch.give(out, Some(round));
    }
    out.flush();
    hatch.give(out, None);
    while !hatch.lock().is_over {
        if trouble.is_known() {
            return Err(Lost);
        }
        hatch.take(u64::MAX, true);
    }
    Ok(())
}

fn receive(member: &mut dyn Member, packet: &Packet, out: &mut Outgoing) {
    let from = packet.from as usize;
    let Some(kind) = packet.bytes.first().and_then(|kind| BlockKind::of(*kind)) else { return };
    if kind == BlockKind::Received {
        return out.acknowledged(from);
    }
    member.receive(from, kind, &packet.bytes[1..], out);
    if kind.is_bulk() {
        out.acknowledge(from);
    }
}

/// Carries packets until rounds are over, or another process is lost.
pub(crate) fn carry(worker: &mut Worker, hatch: &Arc<Hatch>, trouble: &Trouble) {
    build(worker, hatch);
    while worker.has_dataflows() && !trouble.is_known() {
        worker.step_or_park(Some(LOOK_UP));
    }
    hatch.lock().is_over = true;
    hatch.bell.notify_all();
}

fn build(worker: &mut Worker, hatch: &Arc<Hatch>) {
    let hatch = Arc::clone(hatch);
    worker.dataflow::<u64, _, _>(|scope| {
        let (handle, packets) = scope.feedback::<Packet>(1);
        let sent = packets.unary_frontier::<NoopBuilder<Packet>, _, _, _>(
            DistributorPact(|_| Post),
            "rounds",
            |capability, info| {
                hatch.lock().activator = Some(scope.worker().sync_activator_for(info.address.to_vec()));
                let mut capability = Some(capability);
                move |(input, frontier), output| {
                    let mut guard = hatch.lock();
                    let shared = &mut *guard;
                    let before = (shared.inbox.len(), shared.complete);
                    input.for_each(|time, packet| {
                        shared.inbox.push_back((*time.time(), std::mem::take(packet)));
                    });
                    // Before the first news of it, the frontier is empty; while a round is held, it can't be.
                    if let Some(first) = frontier.frontier().first() {
                        shared.complete = *first;
                    }
                    if before != (shared.inbox.len(), shared.complete) {
                        hatch.bell.notify_one();
                    }
                    let Some(held) = &mut capability else { return };
                    for mut packet in shared.outbox.drain(..) {
                        output.session_with_builder(&*held).give_container(&mut packet);
                    }
                    match shared.round {
                        Some(round) if *held.time() < round => held.downgrade(&round),
                        Some(_) => {}
                        None => capability = None,
                    }
                }
            },
        );
        sent.connect_loop(handle);
    });
}
