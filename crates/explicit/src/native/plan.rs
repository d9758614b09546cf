//! Locations and edges as flat tables, and how each edge is executed.

use std::ops::Range;

use narrows_model::{Evaluator, LocationId, Proctype, Scalar, Statement, TransitionId};

use super::compile::Compiled;
use super::undo_log::Code;

/// How an edge is executed.
#[derive(Clone, Copy)]
pub(super) enum Action {
    /// By the reference evaluator.
    Interpreted,
    /// It can always be taken, and changes nothing but the location.
    Always,
    /// It can be taken if no earlier one was.
    Else,
    /// The process ends.
    End,
    /// By machine code that notes what it changes.
    Run(Code),
    /// A `d_step`, by machine code that notes nothing; the guard, if there is one, changes nothing.
    Step(Option<Code>, Code),
    /// A `run`, by its number among [`Plan::creations`].
    Create(u32),
}

/// A `run` whose new process starts with values that are known beforehand, but for its parameters.
pub(super) struct Creation {
    /// Puts the arguments where a send puts its message.
    pub(super) arguments: Code,
    /// What the statement does with the new process's number, on a copy of the state.
    pub(super) assign: Option<Code>,
    /// The first bytes of the new component: tag, location, priority.
    pub(super) head: Vec<u8>,
    /// The variables, parameters being 0.
    pub(super) variables: Vec<u8>,
    /// Where the parameters go within them.
    pub(super) parameters: Vec<(usize, Scalar)>,
    /// Which of the variables nobody reads, if those are set to 0.
    pub(super) dead: Vec<Range<u32>>,
}

/// An edge of a location.
pub(super) struct Edge {
    pub(super) action: Action,
    pub(super) transition: TransitionId,
    pub(super) target: LocationId,
    pub(super) escape: u16,
    pub(super) atomic: bool,
    /// Whether it may take a message that is held out.
    pub(super) receives: bool,
    /// Whether messages come and go, so that recorded events depend on it.
    pub(super) communicates: bool,
    /// Which local variables nobody reads afterwards, as a part of [`Plan::dead`]; empty if they are kept.
    pub(super) dead: (u32, u32),
    /// Which global variables it writes that nobody ever reads, likewise.
    pub(super) unread: (u32, u32),
}

/// What decides whether a process may move at all.
#[derive(Clone, Copy)]
pub(super) enum Gate {
    Open,
    Provided(Code),
    Interpreted,
}

/// A location of a kind of process.
pub(super) struct Location {
    /// Its edges, as a part of [`Plan::edges`].
    pub(super) start: u32,
    pub(super) end: u32,
    /// All edges together, where no escape and no error has to be thought of.
    pub(super) scan: Option<Code>,
    /// Whether a process may end here.
    pub(super) is_end: bool,
}

/// A kind of process.
pub(super) struct ProcessKind {
    pub(super) gate: Gate,
    pub(super) deterministic: bool,
    pub(super) locations: Vec<Location>,
    /// What it does inside atomic sequences while it has no choice.
    pub(super) chain: Option<Code>,
}

/// Every kind of process and every edge.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) kinds: Vec<ProcessKind>,
    pub(super) edges: Vec<Edge>,
    pub(super) creations: Vec<Creation>,
    pub(super) dead: Vec<Range<u32>>,
}

impl Plan {
    pub(super) fn new(evaluator: &Evaluator<'_>, compiled: &mut Compiled) -> Plan {
        let system = evaluator.system();
        let mut creations = std::mem::take(&mut compiled.creations);
        for creation in creations.iter_mut().filter(|_| evaluator.forgets()) {
            let proctype = u16::from_le_bytes([creation.head[0], creation.head[1]]);
            creation.dead.clone_from(&system.proctypes[usize::from(proctype)].dead);
        }
        let mut plan = Plan { creations, ..Plan::default() };
        for (proctype, code) in system.proctypes.iter().zip(&compiled.kinds) {
            let mut kind = ProcessKind {
                gate: if system.has_priorities { Gate::Interpreted } else { code.gate },
                deterministic: proctype.deterministic,
                locations: Vec::new(),
                chain: code.chain,
            };
            for (location, scan) in proctype.locations.iter().zip(&code.scans) {
                let start = plan.edges.len() as u32;
                for edge in &location.edges {
                    let action = code.actions[edge.transition.0 as usize];
                    let mut planned = Plan::edge(proctype, edge, action);
                    if evaluator.forgets() {
                        let transition = proctype.transition(edge.transition);
                        planned.dead = plan.add_dead(&transition.dead);
                        planned.unread = plan.add_dead(&transition.unread);
                    }
                    plan.edges.push(planned);
                }
                let (end, is_end) = (plan.edges.len() as u32, location.is_end);
                kind.locations.push(Location { start, end, scan: *scan, is_end });
            }
            plan.kinds.push(kind);
        }
        plan
    }

    fn add_dead(&mut self, ranges: &[Range<u32>]) -> (u32, u32) {
        let start = self.dead.len() as u32;
        self.dead.extend_from_slice(ranges);
        (start, self.dead.len() as u32)
    }

    fn edge(proctype: &Proctype, edge: &narrows_model::Edge, action: Action) -> Edge {
        let transition = proctype.transition(edge.transition);
        let statement = &transition.statement;
        Edge {
            action,
            transition: edge.transition,
            target: transition.target,
            escape: edge.escape,
            atomic: transition.atomic,
            receives: matches!(statement, Statement::Receive(_) | Statement::DStep(_)),
            communicates: matches!(
                statement,
                Statement::Send(_) | Statement::Receive(_) | Statement::DStep(_)
            ),
            dead: (0, 0),
            unread: (0, 0),
        }
    }
}
