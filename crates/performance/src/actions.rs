//! A labelled graph as a state space whose moves are its labels, so that actions can have delays.
//!
//! An action is identified by its label. Its clock starts when the action becomes enabled, runs on while it
//! stays enabled whatever else happens, and is discarded when it is disabled (enabling memory). When the
//! clock expires, the action happens; if it is enabled again right afterwards, the clock restarts. So a state
//! with two edges of one label is ambiguous: there might be one clock or two ([`ambiguous`]).

use narrows_lts::{Edge, Graph, LabelPattern};
use narrows_model::{
    Expansion, LocationId, Move, MoveKind, ProctypeId, Scratch, StateSpace, Successor, TransitionId,
    Violation, Visit,
};
use num_traits::Zero;

use crate::busy_waiting::reached;
use crate::{Delay, Delayed, Timing};

/// The bytes of a state: its number in the graph, and then the bits of conditions.
const BYTES: usize = 4;

/// A condition on the run so far, about labels.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// An action of this kind is possible now.
    Possible(LabelPattern),
    /// An action of the first kind has happened, and none of the second kind since.
    Since(LabelPattern, LabelPattern),
}

impl Condition {
    /// Returns the patterns that it is made of.
    pub fn patterns(&self) -> impl Iterator<Item = &LabelPattern> {
        let (first, second) = match self {
            Condition::Possible(pattern) => (pattern, None),
            Condition::Since(from, to) => (from, Some(to)),
        };
        std::iter::once(first).chain(second)
    }
}

/// How a condition is kept up.
#[derive(Clone, Debug)]
enum Observer {
    /// By the edges of the state: which labels make it true.
    Edges(Vec<bool>),
    /// By a bit: what each label makes of it.
    Bit(usize, Vec<Option<bool>>),
}

/// A labelled graph as a state space, with observers beside it.
#[derive(Clone, Debug)]
pub struct Actions<'g> {
    graph: &'g Graph,
    observers: Vec<Observer>,
    /// How many of them are bits.
    bits: usize,
    /// Whether some state has several edges of one label.
    has_twins: bool,
}

impl<'g> Actions<'g> {
    /// Takes a graph as a space in which nothing is measured.
    pub fn new(graph: &'g Graph) -> Actions<'g> {
        let has_twins = twins(graph, 1).is_some();
        Actions { graph, observers: Vec::new(), bits: 0, has_twins }
    }

    /// Observes conditions, which are numbered from 0.
    #[must_use]
    pub fn observing(mut self, conditions: &[Condition]) -> Actions<'g> {
        for condition in conditions {
            let labels = self.graph.labels().iter();
            self.observers.push(match condition {
                Condition::Possible(pattern) => {
                    Observer::Edges(labels.map(|label| pattern.fits(label)).collect())
                }
                Condition::Since(from, to) => {
                    // An action that is both ends the condition and begins it anew.
                    let value = |label: &String| {
                        if from.fits(label) { Some(true) } else { to.fits(label).then_some(false) }
                    };
                    self.bits += 1;
                    Observer::Bit(self.bits - 1, labels.map(value).collect())
                }
            });
        }
        self
    }

    /// Returns whether a condition holds in a state, given its number.
    pub fn holds(&self, condition: usize, state: &[u8]) -> bool {
        match self.observers.get(condition) {
            None => false,
            Some(Observer::Edges(labels)) => {
                let mut edges = self.graph.edges_from(number(state)).iter();
                edges.any(|edge| labels[edge.label as usize])
            }
            Some(Observer::Bit(bit, _)) => {
                state.get(BYTES + bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
            }
        }
    }

    /// Returns the labels and states of a run that is given by the number of the edge at each state; `None`
    /// if there is no such edge.
    pub fn run(&self, choices: &[u32]) -> Option<Vec<(u32, u32)>> {
        let mut state = self.graph.initial();
        let step = |choice: &u32| {
            let edge = self.graph.edges_from(state).get(*choice as usize)?;
            state = edge.target;
            Some((edge.label, edge.target))
        };
        choices.iter().map(step).collect()
    }

    /// Writes the state after an edge.
    fn follow(&self, state: &[u8], edge: &Edge, next: &mut Vec<u8>) {
        let label = edge.label as usize;
        next.clear();
        next.extend(edge.target.to_le_bytes());
        next.extend(&state[BYTES..]);
        for observer in &self.observers {
            if let Observer::Bit(bit, values) = observer
                && let Some(value) = values[label]
            {
                let byte = &mut next[BYTES + bit / 8];
                *byte = *byte & !(1 << (bit % 8)) | u8::from(value) << (bit % 8);
            }
        }
    }
}

/// Returns the number of a state in the graph.
fn number(state: &[u8]) -> u32 {
    state.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

impl StateSpace for Actions<'_> {
    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        let mut state = vec![0; BYTES + self.bits.div_ceil(8)];
        state[..4].copy_from_slice(&self.graph.initial().to_le_bytes());
        Ok((state, Vec::new()))
    }

    fn successors(&self, state: &[u8], _: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        let edges = self.graph.edges_from(number(state));
        let mut next = Vec::new();
        for (place, edge) in edges.iter().enumerate() {
            self.follow(state, edge, &mut next);
            // Each of several edges with one label has a clock of its own.
            let twins = if self.has_twins { &edges[..place] } else { &[] };
            let clock = twins.iter().filter(|other| other.label == edge.label).count();
            let step = Move {
                pid: u8::try_from(clock).unwrap_or(u8::MAX),
                proctype: ProctypeId(0),
                from: LocationId(0),
                transition: TransitionId(edge.label),
                kind: MoveKind::Alone,
            };
            let successor = Successor { moves: &[step], target: Some(&next), ..Successor::default() };
            if visit(successor).is_break() {
                break;
            }
        }
        if edges.is_empty() { Expansion::Deadlock } else { Expansion::Moves }
    }
}

/// Says which labels take how long, and which are events. The first delay whose pattern fits counts, and one
/// of 0 is none. `None` if there are too many labels with delays.
pub fn timing(
    graph: &Graph,
    delays: &[(LabelPattern, Delay)],
    events: &[(String, Vec<LabelPattern>)],
) -> Option<Timing> {
    let mut timing = Timing::labels(graph.labels().len());
    for (number, label) in (0..).zip(graph.labels()) {
        let delay = delays.iter().find(|(pattern, _)| pattern.fits(label)).map(|(_, delay)| delay);
        let Some(delay) = delay.filter(|delay| !delay.mean().is_zero()) else { continue };
        if timing.delays().len() > usize::from(u16::MAX) {
            return None;
        }
        let delayed = Delayed { name: label.clone(), delay: delay.clone(), speed: None };
        timing.delay(&[Timing::label(number)], delayed);
    }
    for (name, patterns) in events {
        let is_one = |label: &str| patterns.iter().any(|pattern| pattern.fits(label));
        let numbered = (0..).zip(graph.labels()).filter(|(_, label)| is_one(label));
        let sites: Vec<_> = numbered.map(|(number, _)| Timing::label(number)).collect();
        timing.event(&sites, name);
    }
    Some(timing)
}

/// Finds a label that a state has more than so many times.
pub fn twins(graph: &Graph, most: usize) -> Option<&str> {
    let mut seen = vec![(u32::MAX, 0); graph.labels().len()];
    graph.all_edges().find_map(|(state, edge)| {
        let (last, count) = &mut seen[edge.label as usize];
        *count = if *last == state { *count + 1 } else { 1 };
        *last = state;
        (*count > most).then(|| graph.label(edge.label))
    })
}

/// Finds a label of some kind that a state has twice. All labels that take no time are said to do so.
pub fn ambiguous(
    graph: &Graph,
    is_now: impl Fn(u32) -> bool,
    is_meant: impl Fn(u32) -> bool,
) -> Option<&str> {
    let mut seen = vec![u32::MAX; graph.labels().len()];
    let mut is_reached = None;
    for (state, edge) in graph.all_edges().filter(|(_, edge)| is_meant(edge.label)) {
        if std::mem::replace(&mut seen[edge.label as usize], state) == state
            && is_reached.get_or_insert_with(|| reached(graph, &is_now))[state as usize]
        {
            return Some(graph.label(edge.label));
        }
    }
    None
}
