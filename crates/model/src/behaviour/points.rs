//! Behaviours as points of control: where a process stands, and what it can do there.

use narrows_graph::BitSet;
use narrows_source::Span;

use super::data::{Condition, Data, SortId, Term};

/// Names a [`Point`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PointId(pub u32);

/// Names a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GateId(pub u16);

impl GateId {
    /// Successful termination.
    pub const EXIT: GateId = GateId(0);
    /// What nobody sees.
    pub const INTERNAL: GateId = GateId(1);
}

/// Some gates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GateSet(BitSet);

impl GateSet {
    /// Adds a gate.
    pub fn insert(&mut self, gate: GateId) {
        self.0.insert(usize::from(gate.0));
    }

    /// Returns whether two sets have a gate in common.
    pub fn meets(&self, other: &GateSet) -> bool {
        self.0.meets(&other.0)
    }

    /// Adds the gates of another set.
    pub fn extend(&mut self, other: &GateSet) {
        self.0.union_with(&other.0);
    }

    /// Returns what is left without the gates of another set.
    #[must_use]
    pub fn without(&self, other: &GateSet) -> GateSet {
        GateSet(self.0.difference(&other.0))
    }

    /// Returns whether another set has all its gates.
    pub fn is_within(&self, other: &GateSet) -> bool {
        self.0.is_subset(&other.0)
    }

    /// Returns whether a gate is among them.
    #[inline]
    pub fn contains(&self, gate: GateId) -> bool {
        self.0.contains(usize::from(gate.0))
    }
}

/// Where control goes, and which values go with it.
#[derive(Clone, Debug, Default)]
pub struct Jump {
    /// Where to.
    pub point: PointId,
    /// For each variable there, which of the values at hand it gets: variables here first, then what was
    /// bound.
    pub sources: Vec<u16>,
}

impl Default for PointId {
    fn default() -> Self {
        Behaviour::STOP
    }
}

/// What an action says about one value.
#[derive(Clone, Debug)]
pub enum Offer {
    /// It is this one.
    Value(Term, SortId),
    /// It is any one of this sort.
    Any(SortId),
}

impl Offer {
    /// Returns the sort of the value.
    pub fn sort(&self) -> SortId {
        match self {
            Offer::Value(_, sort) | Offer::Any(sort) => *sort,
        }
    }
}

/// A place where control can be.
#[derive(Clone, Debug)]
pub struct Point {
    /// What happens there.
    pub kind: PointKind,
    /// The sorts of the variables that matter from there on.
    pub variables: Vec<SortId>,
    /// Where it is in the text.
    pub span: Span,
}

/// What happens at a point.
#[derive(Clone, Debug)]
pub enum PointKind {
    /// Nothing.
    Stop,
    /// Nothing any more: it has ended well.
    Done,
    /// Successful termination.
    Exit(Vec<Offer>),
    /// An action, and what comes after it; values that were open are bound.
    Prefix {
        /// The gate.
        gate: GateId,
        /// The values.
        offers: Vec<Offer>,
        /// What has to be true of them, and of the variables.
        predicate: Option<Condition>,
        /// What comes then.
        next: Jump,
    },
    /// One of these.
    Choice(Vec<Jump>),
    /// One for each combination of values, which are bound.
    Over(Vec<SortId>, Jump),
    /// The same if a condition is true, and otherwise nothing.
    Guard(Condition, Jump),
    /// The same, with values that are bound.
    Let(Vec<Term>, Jump),
    /// Two side by side, which take the steps at some gates, and the last one, together.
    Parallel {
        /// The gates.
        gates: GateSet,
        /// One side.
        left: Jump,
        /// The other side.
        right: Jump,
    },
    /// Something some of whose gates nobody sees.
    Hide(GateSet, Jump),
    /// One after the other; what the first one ends with is bound.
    Enable {
        /// The first.
        left: Jump,
        /// Which variables are kept for the second one.
        kept: Vec<u16>,
        /// The second; the values at hand are those that were kept, and then those that were bound.
        right: Jump,
    },
    /// The first until it ends, or until the second one begins.
    Disable(Jump, Jump),
}

/// Processes that take steps by themselves and together.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The data they use.
    pub data: Data,
    /// The names of the gates; those of the first two are the ones of [`GateId`].
    pub gates: Vec<String>,
    /// The points; the first two are [`Behaviour::STOP`] and [`Behaviour::DONE`].
    pub points: Vec<Point>,
    /// Where control is first.
    pub initial: PointId,
}

impl Behaviour {
    /// Where nothing happens.
    pub const STOP: PointId = PointId(0);
    /// Where nothing happens any more.
    pub const DONE: PointId = PointId(1);

    /// Returns a behaviour that does nothing, to be filled.
    pub fn new(data: Data) -> Behaviour {
        let point = |kind| Point { kind, variables: Vec::new(), span: Span::default() };
        let points = vec![point(PointKind::Stop), point(PointKind::Done)];
        let gates = vec!["exit".to_owned(), "i".to_owned()];
        Behaviour { data, gates, points, initial: Behaviour::STOP }
    }

    /// Returns a point.
    pub fn point(&self, id: PointId) -> &Point {
        &self.points[id.0 as usize]
    }
}
