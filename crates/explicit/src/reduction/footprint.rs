//! What steps touch: sets of variables, sets of channels, and whether two steps get in each other's way.

use narrows_model::ProcessSet;

/// A set of variables, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Variables(Vec<u64>);

impl Variables {
    pub(super) fn insert(&mut self, variable: usize) {
        let word = variable / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (variable % 64);
    }

    pub(super) fn add(&mut self, other: &Variables) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, other) in self.0.iter_mut().zip(&other.0) {
            *mine |= other;
        }
    }

    pub(super) fn contains(&self, variable: usize) -> bool {
        self.0.get(variable / 64).is_some_and(|word| word >> (variable % 64) & 1 == 1)
    }

    pub(super) fn meets(&self, other: &Variables) -> bool {
        self.0.iter().zip(&other.0).any(|(left, right)| left & right != 0)
    }
}

/// A set of channels, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Channels([u64; 4]);

impl Channels {
    pub(super) const ALL: Channels = Channels([u64::MAX; 4]);

    /// Returns all numbers above one.
    pub(super) fn above(number: usize) -> Channels {
        let mut channels = Channels::default();
        (number + 1..256).for_each(|channel| channels.insert(channel as u8));
        channels
    }

    /// Returns all there is to it.
    pub(super) fn words(self) -> impl Iterator<Item = u32> {
        self.0.into_iter().flat_map(|word| [word as u32, (word >> 32) as u32])
    }

    pub(super) fn insert(&mut self, channel: u8) {
        self.0[usize::from(channel / 64)] |= 1 << (channel % 64);
    }

    pub(super) fn contains(self, channel: u8) -> bool {
        self.0[usize::from(channel / 64)] >> (channel % 64) & 1 == 1
    }

    fn combine(self, other: Channels, combine: impl Fn(u64, u64) -> u64) -> Channels {
        Channels(std::array::from_fn(|word| combine(self.0[word], other.0[word])))
    }

    pub(super) fn or(self, other: Channels) -> Channels {
        self.combine(other, |left, right| left | right)
    }

    pub(super) fn and(self, other: Channels) -> Channels {
        self.combine(other, |left, right| left & right)
    }

    pub(super) fn without(self, other: Channels) -> Channels {
        self.combine(other, |left, right| left & !right)
    }

    pub(super) fn add(&mut self, other: Channels) {
        *self = self.or(other);
    }

    pub(super) fn meets(self, other: Channels) -> bool {
        self.and(other) != Channels::default()
    }
}

/// What a step, or many of them, touches.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says whether something is touched")]
pub(super) struct Footprint {
    /// It may touch anything.
    pub(super) anything: bool,
    pub(super) reads: Variables,
    pub(super) writes: Variables,
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
}

impl Footprint {
    pub(super) fn add(&mut self, other: &Footprint) {
        self.anything |= other.anything;
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.sends.add(other.sends);
        self.sorts.add(other.sorts);
        self.receives.add(other.receives);
        self.queries.add(other.queries);
        self.births |= other.births;
        self.opens |= other.opens;
        self.deaths |= other.deaths;
        self.counts |= other.counts;
        self.timeout |= other.timeout;
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
            channels.add(more);
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
            || mine.sends.meets(other.sends.or(other.queries))
            || mine.sorts.meets(other.receives)
            || mine.receives.meets(other.receives.or(other.queries).or(other.sorts))
            || mine.queries.meets(other.sends.or(other.receives))
            || self.senders.meets(other.sends)
            || self.receivers.meets(other.receives)
            || self.partners.meets(other.queries)
            || mine.births && (other.births || other.deaths || other.counts)
            || mine.deaths && (other.births || other.counts)
            || mine.counts && (other.births || other.deaths)
    }
}
