//! The features of the language that a model may or may not use.

use std::fmt;

use narrows_graph::Random;

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident $chance:literal,)*) => {
        /// A part of the language, or a habit of writing, that a seed switches on or off.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Feature { $($(#[$doc])* $name,)* }

        /// Every feature with the percentage of seeds that have it.
        const ALL: &[(Feature, usize)] = &[$((Feature::$name, $chance),)*];
    };
}

features! {
    /// Arrays of scalars.
    Arrays 45,
    /// Typedefs, with fields that are arrays or typedefs.
    Typedefs 35,
    /// Symbolic names.
    Mtypes 45,
    /// Named sets of symbolic names.
    NamedMtypes 15,
    /// Assignments that overflow the variable's type.
    Truncation 35,
    /// The wider operators and conditional expressions.
    Arithmetic 45,
    /// Channels with slots.
    Buffered 65,
    /// Channels without slots.
    Rendezvous 50,
    /// Arrays of channels.
    ChannelArrays 20,
    /// Channels in messages and channel variables.
    ChannelsInMessages 20,
    /// Channels declared in proctypes.
    LocalChannels 20,
    /// Local channels that outlive their process in a message.
    DanglingChannels 3,
    /// Messages that carry a typedef.
    StructMessages 10,
    /// `!!`, `??`.
    Sorted 35,
    /// `?<>`, `??<>`.
    Copying 30,
    /// `?[]`, `??[]`.
    Polls 35,
    /// `eval`, `_` and constants in receives.
    Matching 55,
    /// `full`, `empty`, `nfull`, `nempty` and `len`.
    Fullness 45,
    /// A process that sends to and receives from everybody.
    Environment 50,
    /// Receives with too few or too many fields.
    Arity 3,
    /// Processes started by `run`.
    Run 50,
    /// Parameters of proctypes.
    Parameters 55,
    /// `atomic`.
    Atomic 55,
    /// Statements that may block inside `atomic`.
    BlockingAtomic 60,
    /// Loops of hundreds or thousands of rounds inside `atomic` and `d_step`.
    LongAtomics 12,
    /// Loops inside `atomic` that choose in every round.
    AtomicChoices 20,
    /// `d_step`.
    DeterministicSteps 35,
    /// `d_step` that may block.
    BlockingSteps 3,
    /// `unless`.
    Unless 30,
    /// `provided`.
    Provided 15,
    /// `timeout`.
    Timeout 25,
    /// `else`.
    Else 70,
    /// `do`.
    Loops 70,
    /// Loops that a counter ends.
    Counting 40,
    /// `for`.
    For 30,
    /// `select`.
    Select 25,
    /// `goto` and labels.
    Gotos 45,
    /// Gotos into the middle of an `atomic`.
    GotosInto 40,
    /// Labels that begin with `end`.
    EndLabels 30,
    /// `assert`.
    Assertions 50,
    /// `skip` and `printf`.
    Idle 50,
    /// `inline`.
    Inlines 25,
    /// Declarations between statements and in nested blocks.
    LateDeclarations 35,
    /// The same names declared in one block after the other.
    ReusedNames 40,
    /// `_pid` and `_nr_pr`.
    ProcessNumbers 25,
    /// `P[0]@L` and `P[0]:x`.
    RemoteReferences 15,
    /// `enabled`.
    Enabled 3,
    /// `priority`.
    Priority 5,
    /// `hidden`, `show` and `local`.
    Hidden 8,
    /// `_last`.
    Last 4,
    /// `D_proctype`.
    DeterministicProctypes 4,
    /// Numbers that need more than 32 bits.
    LargeLiterals 12,
    /// Structures with initialisers, `-->`.
    OldSyntax 8,
    /// Signs that SPIN reads for others, such as `<=<`, and `*/` that ends no comment.
    OddSigns 15,
    /// Long loops inside `atomic` and `d_step` with arrays, channels, decisions and loops in each round.
    LongWork 12,
    /// Long loops inside `atomic` that wait for something in one round.
    LongBlocking 10,
    /// Long loops inside `atomic` with a choice in one round.
    LateChoices 10,
}

/// A set of features.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Features(u64);

impl Features {
    /// Draws a set. Those that came later have numbers of their own, so that a seed's model without them is
    /// what it was.
    pub fn draw(random: &mut Random) -> Self {
        let mut set = 0;
        let mut other = Random::stream(random.clone().bits(), 1);
        for &(feature, chance) in ALL {
            let random = if feature as u64 >= Feature::OddSigns as u64 { &mut other } else { &mut *random };
            if random.percent(chance) {
                set |= 1 << feature as u64;
            }
        }
        let mut set = Self(set);
        // SPIN does not take priorities and rendezvous together.
        if set.has(Feature::Rendezvous) {
            set = set.without(Feature::Priority);
        }
        set
    }

    /// The features without those that make a run stop or count for what it is not: what goes wrong in the
    /// model itself counts as an error beside every question about its runs.
    #[must_use]
    pub(super) fn without_faults(mut self) -> Self {
        let faulty = [
            Feature::Assertions,
            Feature::Arity,
            Feature::BlockingSteps,
            Feature::DanglingChannels,
            Feature::DeterministicProctypes,
            Feature::Hidden,
            Feature::Enabled,
        ];
        for feature in faulty {
            self = self.without(feature);
        }
        self
    }

    /// The set without long atomic sequences, and without odd signs: these draw numbers, so that a seed with
    /// them has another model.
    #[must_use]
    pub(super) fn without_long_sequences(self) -> Self {
        let long = [Feature::LongWork, Feature::LongBlocking, Feature::LateChoices, Feature::OddSigns];
        long.into_iter().fold(self, Features::without)
    }

    /// The set without a feature.
    #[must_use]
    pub(super) fn without(self, feature: Feature) -> Self {
        Self(self.0 & !(1 << feature as u64))
    }

    /// Whether the set has a feature.
    pub fn has(self, feature: Feature) -> bool {
        self.0 & 1 << feature as u64 != 0
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_set().entries(ALL.iter().map(|entry| entry.0).filter(|&feature| self.has(feature))).finish()
    }
}
