//! What steps touch: sets of variables, sets of channels, and whether two steps get in each other's way.

use narrows_graph::{BitSet, ByteSet};
use narrows_model::ProcessSet;

/// A set of channels, by number.
pub(super) type Channels = ByteSet;

/// What a step, or many of them, touches.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says whether something is touched")]
pub(super) struct Footprint {
    /// It may touch anything.
    pub(super) anything: bool,
    /// The variables that it reads, by number.
    pub(super) reads: BitSet,
    pub(super) writes: BitSet,
    pub(super) sends: Channels,
    /// The channels into which messages are sorted; they are among `sends` too.
    pub(super) sorts: Channels,
    pub(super) receives: Channels,
    /// The channels of which more is asked than whether a message can be sent or received.
    pub(super) queries: Channels,
    /// Whether processes are created.
    pub(super) births: bool,
    /// Whether they bring channels with them.
    pub(super) opens: bool,
    /// Whether processes end.
    pub(super) deaths: bool,
    /// Whether it matters how many processes there are.
    pub(super) counts: bool,
    /// Whether a timeout is asked for.
    pub(super) timeout: bool,
    /// Whether elements of arrays are left out, for a later round to find.
    pub(super) later: bool,
}

impl Footprint {
    /// Returns whether nothing is touched but what belongs to the process.
    pub(super) fn is_empty(&self) -> bool {
        let Footprint { anything, births, opens, deaths, counts, timeout, .. } = *self;
        let channels = [self.sends, self.sorts, self.receives, self.queries];
        !(anything || births || opens || deaths || counts || timeout)
            && self.reads.is_empty()
            && self.writes.is_empty()
            && channels.iter().all(|channels| channels.is_empty())
    }

    pub(super) fn add(&mut self, other: &Footprint) {
        self.anything |= other.anything;
        self.reads.union_with(&other.reads);
        self.writes.union_with(&other.writes);
        self.sends.union_with(other.sends);
        self.sorts.union_with(other.sorts);
        self.receives.union_with(other.receives);
        self.queries.union_with(other.queries);
        self.births |= other.births;
        self.opens |= other.opens;
        self.deaths |= other.deaths;
        self.counts |= other.counts;
        self.timeout |= other.timeout;
        self.later |= other.later;
    }

    /// Adds what another touches, but for what it sends and receives.
    pub(super) fn add_quiet(&mut self, other: &Footprint) {
        let (sends, receives) = (self.sends, self.receives);
        self.add(other);
        (self.sends, self.receives) = (sends, receives);
    }

    /// Makes it touch channels in every way.
    pub(super) fn add_channels(&mut self, more: Channels) {
        for channels in [&mut self.sends, &mut self.sorts, &mut self.receives, &mut self.queries] {
            channels.union_with(more);
        }
    }
}

/// What must not happen meanwhile if some steps are taken first, and what could make others possible.
#[derive(Clone, Debug, Default)]
pub(super) struct Need {
    /// What the possible steps touch; sends and receives of rendezvous are below instead.
    pub(super) touched: Footprint,
    /// Whoever sends here belongs to it.
    pub(super) senders: Channels,
    /// Whoever receives here belongs to it.
    pub(super) receivers: Channels,
    /// Whoever asks whether a rendezvous can take place here belongs to it: that depends on where the
    /// receivers are.
    pub(super) partners: Channels,
    /// These belong to it in any case.
    pub(super) with: ProcessSet,
}

impl Need {
    /// Returns whether steps with the other footprint belong to it. A send and a receive on a channel with a
    /// buffer do not get in each other's way: where both are possible, their order does not matter.
    pub(super) fn includes(&self, other: &Footprint) -> bool {
        let mine = &self.touched;
        mine.anything
            || other.anything
            || mine.writes.meets(&other.writes)
            || mine.writes.meets(&other.reads)
            || mine.reads.meets(&other.writes)
            || mine.sends.meets(other.sends.union(other.queries))
            || mine.sorts.meets(other.receives)
            || mine.receives.meets(other.receives.union(other.queries).union(other.sorts))
            || mine.queries.meets(other.sends.union(other.receives))
            || self.senders.meets(other.sends)
            || self.receivers.meets(other.receives)
            || self.partners.meets(other.queries)
            || mine.births && (other.births || other.deaths || other.counts)
            || mine.deaths && (other.births || other.counts)
            || mine.counts && (other.births || other.deaths)
    }
}
