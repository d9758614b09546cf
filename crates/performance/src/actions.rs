//! A labelled graph as a state space whose moves are its labels, so that actions can have delays.
//!
//! An action is identified by its label. Its clock starts when the action becomes enabled, runs on while it
//! stays enabled whatever else happens, and is discarded when it is disabled (enabling memory). When the
//! clock expires, the action happens; if it is enabled again right afterwards, the clock restarts. So a state
//! with two edges of one label is ambiguous: there might be one clock or two ([`ambiguous`]).

use std::ops::ControlFlow;

use narrows_lts::{Graph, LabelPattern};
use narrows_model::{
    Difference, Expansion, LocationId, Move, MoveKind, ProctypeId, Scratch, StateSpace, Successor,
    TransitionId, Violation,
};
use num_traits::Zero;

use crate::busy_waiting::reached;
use crate::{Delay, Delayed, Timing};

/// The bytes of a state: its number, and marks of the last action.
const BYTES: usize = 5;
/// The last action starts the measurement.
const BEGINS: u8 = 1;
/// The last action stops it.
const ENDS: u8 = 2;
/// The parity of the number of actions so far that do both.
const TURN: u8 = 4;

/// A labelled graph as a state space. A measurement starts after actions that one pattern matches and stops
/// with the next action that another matches; a state holds the marks of its last action.
#[derive(Clone, Debug)]
pub struct Actions<'g> {
    graph: &'g Graph,
    /// By label.
    marks: Vec<u8>,
}

impl<'g> Actions<'g> {
    /// Takes a graph as a space in which nothing is measured.
    pub fn new(graph: &'g Graph) -> Actions<'g> {
        Actions { graph, marks: vec![0; graph.labels().len()] }
    }

    /// Takes a graph as a space in which it is measured from actions of one kind to the next one of another.
    pub fn between(graph: &'g Graph, from: &LabelPattern, to: &LabelPattern) -> Actions<'g> {
        let mark = |label: &String| {
            let bit = |pattern: &LabelPattern, bit: u8| if pattern.fits(label) { bit } else { 0 };
            bit(from, BEGINS) | bit(to, ENDS)
        };
        Actions { graph, marks: graph.labels().iter().map(mark).collect() }
    }

    /// Returns whether some action both ends what is measured and begins it anew. Then it has to be asked for
    /// both turns.
    pub fn has_turns(&self) -> bool {
        self.marks.contains(&(BEGINS | ENDS))
    }

    /// Returns whether what is measured begins in a state, in this turn.
    pub fn begins(state: &[u8], turn: bool) -> bool {
        let flags = state.last().copied().unwrap_or(0);
        flags & BEGINS != 0 && (flags & TURN != 0) == turn
    }

    /// Returns whether what has begun in this turn ends in a state. It does not end in the state that it
    /// begins in: the next action that does both belongs to the other turn.
    pub fn ends(state: &[u8], turn: bool) -> bool {
        let flags = state.last().copied().unwrap_or(0);
        flags & ENDS != 0 && !Actions::begins(state, turn)
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

    fn pack(state: u32, flags: u8) -> [u8; BYTES] {
        let [a, b, c, d] = state.to_le_bytes();
        [a, b, c, d, flags]
    }
}

impl StateSpace for Actions<'_> {
    fn hidden_bytes(&self) -> usize {
        0
    }

    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        Ok((Actions::pack(self.graph.initial(), 0).to_vec(), Vec::new()))
    }

    fn successors(
        &self,
        state: &[u8],
        _: &mut Scratch,
        visit: &mut dyn FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        let [a, b, c, d, flags] = state else { return Expansion::Deadlock };
        let edges = self.graph.edges_from(u32::from_le_bytes([*a, *b, *c, *d]));
        for edge in edges {
            let mark = self.marks[edge.label as usize];
            let turn = flags & TURN ^ if mark == BEGINS | ENDS { TURN } else { 0 };
            let step = Move {
                pid: 0,
                proctype: ProctypeId(0),
                from: LocationId(0),
                transition: TransitionId(edge.label),
                kind: MoveKind::Alone,
            };
            let successor = Successor {
                moves: &[step],
                label: &[],
                violations: &[],
                events: &[],
                target: Some(&Actions::pack(edge.target, mark | turn)),
                difference: Difference::Unknown,
                pulse: None,
            };
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
