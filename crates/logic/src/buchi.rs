//! Büchi automata.

use crate::cube::Cube;

/// A Büchi automaton: accepts an infinite word if a run visits accepting states again and again.
///
/// A letter of a word says which atoms hold. An automaton that accepts nothing has one state without edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buchi<A> {
    /// What the guards speak about.
    pub atoms: Vec<A>,
    /// The states.
    pub states: Vec<BuchiState>,
    /// Where runs start: an index into `states`.
    pub initial: usize,
}

/// A state of a Büchi automaton.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuchiState {
    /// Whether a run that comes here again and again is accepted.
    pub accepting: bool,
    /// The outgoing edges; without any, no run continues here.
    pub edges: Vec<BuchiEdge>,
}

/// An edge to a state, for the letters that satisfy the guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuchiEdge {
    /// When it can be taken; its numbers are indices into the automaton's `atoms`.
    pub guard: Cube,
    /// Where it leads: an index into `states`.
    pub target: usize,
}

impl<A> Buchi<A> {
    /// How many edges all states have together.
    pub fn edge_count(&self) -> usize {
        self.states.iter().map(|state| state.edges.len()).sum()
    }

    /// Whether at most one edge of a state can be taken with a letter.
    pub fn is_deterministic(&self) -> bool {
        self.states.iter().all(|state| {
            state.edges.iter().enumerate().all(|(index, edge)| {
                let mut later = state.edges[index + 1..].iter().filter(|other| other.target != edge.target);
                later.all(|other| !other.guard.is_compatible(&edge.guard))
            })
        })
    }

    /// How many pairs of states have an edge from the one to the other.
    pub fn pair_count(&self) -> usize {
        self.states.iter().map(|state| state.targets().len()).sum()
    }
}

impl BuchiState {
    /// The different targets of the edges, in their order.
    pub fn targets(&self) -> Vec<usize> {
        let mut targets: Vec<usize> = self.edges.iter().map(|edge| edge.target).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// The guards of the edges to a target: it can be reached where one of them holds.
    pub fn guards_to(&self, target: usize) -> impl Iterator<Item = &Cube> {
        self.edges.iter().filter(move |edge| edge.target == target).map(|edge| &edge.guard)
    }

    /// Whether every run goes on here for ever, accepted.
    pub fn accepts_all(&self, index: usize) -> bool {
        self.accepting && self.edges.iter().any(|edge| edge.target == index && edge.guard.is_true())
    }
}
