//! What can be claimed of a synchronous system, and what can be computed. Formulas are flat: operands have
//! smaller numbers than what they are operands of.

use narrows_logic::Paths;
use narrows_source::Span;

use super::system::ExprId;

/// Names a formula in [`Claim::Branching`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchingId(pub u32);

/// Names a formula in [`Claim::Linear`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinearId(pub u32);

/// A formula about the fair paths from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Branching {
    /// Something is so.
    Atom(ExprId),
    /// Negation.
    Not(BranchingId),
    /// Conjunction.
    And(BranchingId, BranchingId),
    /// Disjunction.
    Or(BranchingId, BranchingId),
    /// In the next state.
    Next(Paths, BranchingId),
    /// In some state.
    Eventually(Paths, BranchingId),
    /// In every state.
    Always(Paths, BranchingId),
    /// The left until the right, which comes.
    Until(Paths, BranchingId, BranchingId),
    /// In some state that is at least and at most so many steps away.
    EventuallyWithin(Paths, u32, u32, BranchingId),
    /// In every state that is at least and at most so many steps away.
    AlwaysWithin(Paths, u32, u32, BranchingId),
    /// The left until the right, which comes after at least and at most so many steps.
    UntilWithin(Paths, u32, u32, BranchingId, BranchingId),
}

/// A formula about one run, at a place of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linear {
    /// Something is so, in the state or in the step that follows.
    Atom(ExprId),
    /// Negation.
    Not(LinearId),
    /// Conjunction.
    And(LinearId, LinearId),
    /// Disjunction.
    Or(LinearId, LinearId),
    /// In the next state.
    Next(LinearId),
    /// The left until the right, which comes.
    Until(LinearId, LinearId),
    /// In the state before, and there is one.
    Previous(LinearId),
    /// The right was so once, and the left ever since then.
    Since(LinearId, LinearId),
}

/// What is claimed, or to be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is so in every state that can be reached; if it is about inputs or next values, in every step from
    /// such a state.
    Invariant(ExprId),
    /// The last formula holds in every first state from which there is a fair path.
    Branching(Vec<Branching>),
    /// The last formula holds at the start of every fair run.
    Linear(Vec<Linear>),
    /// The length of a shortest path from one of the first to one of the second.
    Minimum(ExprId, ExprId),
    /// The length of a longest path from one of the first to one of the second that passes no other of these.
    Maximum(ExprId, ExprId),
    /// On such paths, the fewest states of the third kind, both ends included.
    FewestOf(ExprId, ExprId, ExprId),
    /// The most.
    MostOf(ExprId, ExprId, ExprId),
}

impl Claim {
    /// Returns its kind, as in the JSON output.
    pub fn kind(&self) -> &'static str {
        match self {
            Claim::Invariant(_) => "invariant",
            Claim::Branching(_) => "ctl",
            Claim::Linear(_) => "ltl",
            Claim::Minimum(..) => "min_delay",
            Claim::Maximum(..) => "max_delay",
            Claim::FewestOf(..) => "min_count",
            Claim::MostOf(..) => "max_count",
        }
    }
}

/// A claim and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specification {
    /// Its name, or its text.
    pub name: String,
    /// The claim.
    pub claim: Claim,
    /// Propositions worth showing along a run, with their texts.
    pub atoms: Vec<(ExprId, String, Span)>,
    /// Where it is written.
    pub span: Span,
}

impl Branching {
    /// Returns the operands.
    pub fn operands(self) -> impl Iterator<Item = BranchingId> {
        let (first, second) = match self {
            Branching::Atom(_) => (None, None),
            Branching::Not(one)
            | Branching::Next(_, one)
            | Branching::Eventually(_, one)
            | Branching::Always(_, one)
            | Branching::EventuallyWithin(_, _, _, one)
            | Branching::AlwaysWithin(_, _, _, one) => (Some(one), None),
            Branching::And(left, right)
            | Branching::Or(left, right)
            | Branching::Until(_, left, right)
            | Branching::UntilWithin(_, _, _, left, right) => (Some(left), Some(right)),
        };
        first.into_iter().chain(second)
    }
}
