//! The synchronous product of a system and an observer: a never claim, a Büchi automaton or a trace
//! assertion.
//!
//! The observer moves in every state before the system does, and its memory is the first bytes of the joint
//! state. Where the system is deadlocked, or has only steps into a fault, it stutters for ever, and the
//! observer moves on. States inside atomic sequences and in the middle of a rendezvous are not observed: they
//! are not states of the system. This is how SPIN's claims move.

mod events;
mod never;

use std::ops::ControlFlow;

use narrows_graph::components::find_indexed;
use narrows_logic::Buchi;

use events::Events;

use crate::{
    Atom, Difference, Evaluator, Expansion, Location, Move, ProcessSet, Proctype, Scratch, StateSpace,
    Successor, Violation, ViolationKind, Visit,
};

/// An observer.
#[derive(Clone, Copy, Debug)]
pub enum Watcher<'s> {
    /// A Büchi automaton that accepts the violating runs.
    Automaton(&'s Buchi<Atom>),
    /// A never claim.
    Never(&'s Proctype),
    /// A pattern that the messages on some channels must follow, or must not if it is forbidden.
    Trace {
        /// The pattern.
        pattern: &'s Proctype,
        /// Whether following it is the violation.
        forbidden: bool,
    },
    /// None: the system's own accepting locations count.
    Acceptance,
    /// None: the system's own progress locations count.
    Progress,
}

/// The role of a state in a search for acceptance cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Nothing.
    Plain,
    /// Accepting: a cycle through it is a violation.
    Accepting,
    /// Barrier: no cycle through it is a violation.
    Barrier,
}

/// The moves of an observer in a state.
#[derive(Debug, Default)]
struct Seen {
    /// Its possible next memories; none if the run is accepted no more.
    next: Vec<Vec<u8>>,
    /// Why the run is a violation already.
    violations: Vec<Violation>,
}

/// A system in product with its observer.
#[derive(Clone, Copy)]
pub struct Watched<'s> {
    evaluator: Evaluator<'s>,
    /// What expands the system's states, if it is not the evaluator.
    space: Option<&'s dyn StateSpace>,
    watcher: Watcher<'s>,
}

impl std::fmt::Debug for Watched<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Watched").field("watcher", &self.watcher).finish_non_exhaustive()
    }
}

impl<'s> Watched<'s> {
    /// Makes the product of a system and an observer.
    pub fn new(evaluator: Evaluator<'s>, watcher: Watcher<'s>) -> Self {
        let watches_events = matches!(watcher, Watcher::Trace { .. });
        let evaluator = if watches_events { evaluator.recording_events() } else { evaluator };
        Watched { evaluator, space: None, watcher }
    }

    /// Lets another engine expand the system's states; not if messages are watched, which only the evaluator
    /// tells.
    #[must_use]
    pub fn over(self, space: &'s dyn StateSpace) -> Self {
        let watches_events = matches!(self.watcher, Watcher::Trace { .. });
        Watched { space: (!watches_events).then_some(space), ..self }
    }

    /// Returns what expands the system's states.
    fn space(&self) -> &dyn StateSpace {
        self.space.unwrap_or(&self.evaluator)
    }

    /// Returns the system.
    pub fn evaluator(&self) -> Evaluator<'s> {
        self.evaluator
    }

    /// Returns the system's part of a joint state.
    pub fn system_state<'b>(&self, state: &'b [u8]) -> &'b [u8] {
        &state[self.memory_bytes()..]
    }

    /// Returns what a state means to a search for cycles.
    pub fn colour(&self, state: &[u8]) -> Colour {
        let accepting = match self.watcher {
            Watcher::Automaton(automaton) => automaton.states[automaton_state(state)].accepting,
            Watcher::Never(claim) => claim.location(never::location(state)).is_accepting,
            Watcher::Trace { .. } => false,
            Watcher::Acceptance => self.is_anybody_at(state, |location| location.is_accepting),
            Watcher::Progress if self.is_anybody_at(state, |location| location.is_progress) => {
                return Colour::Barrier;
            }
            Watcher::Progress => true,
        };
        if accepting { Colour::Accepting } else { Colour::Plain }
    }

    /// Returns the observer's control state, as far as it determines the cycles it can be on: an index into
    /// [`Watched::hopeless`].
    pub fn place(&self, state: &[u8]) -> usize {
        match self.watcher {
            Watcher::Automaton(_) => automaton_state(state),
            Watcher::Never(_) => usize::from(never::location(state).0),
            Watcher::Trace { .. } | Watcher::Acceptance | Watcher::Progress => 0,
        }
    }

    /// Returns for each control state of the observer whether it is on no cycle with an accepting one,
    /// whatever the system does.
    pub fn hopeless(&self) -> Vec<bool> {
        match self.watcher {
            Watcher::Automaton(automaton) => {
                let accepting: Vec<bool> = automaton.states.iter().map(|state| state.accepting).collect();
                hopeless(&accepting, &|place| automaton.states[place].targets())
            }
            Watcher::Never(claim) => {
                let accepting: Vec<bool> =
                    claim.locations.iter().map(|location| location.is_accepting).collect();
                hopeless(&accepting, &|place| {
                    let edges = claim.locations[place].edges.iter();
                    edges.map(|edge| usize::from(claim.transition(edge.transition).target.0)).collect()
                })
            }
            Watcher::Trace { .. } => vec![true],
            Watcher::Acceptance | Watcher::Progress => vec![false],
        }
    }

    fn is_anybody_at(&self, state: &[u8], label: impl Fn(&Location) -> bool) -> bool {
        let frame = self.evaluator.load(state);
        (0..frame.process_count())
            .any(|pid| label(self.evaluator.proctype_of(&frame, pid).location(frame.location(pid))))
    }

    fn memory_bytes(&self) -> usize {
        match self.watcher {
            Watcher::Automaton(_) => 4,
            Watcher::Never(claim) => 2 + claim.local_bytes as usize,
            Watcher::Trace { .. } => 2,
            Watcher::Acceptance | Watcher::Progress => 0,
        }
    }

    /// Computes the observer's moves in a state.
    fn look(&self, memory: &[u8], state: &[u8]) -> Seen {
        match self.watcher {
            Watcher::Automaton(automaton) => self.read(automaton, automaton_state(memory), state),
            Watcher::Never(claim) => never::look(&self.evaluator, claim, memory, state),
            Watcher::Trace { .. } => Seen { next: vec![memory.to_vec()], ..Seen::default() },
            Watcher::Acceptance | Watcher::Progress => Seen { next: vec![Vec::new()], ..Seen::default() },
        }
    }

    fn read(&self, automaton: &Buchi<Atom>, from: usize, state: &[u8]) -> Seen {
        let mut seen = Seen::default();
        let mut observation = self.evaluator.observe(state);
        let mut values: Vec<Option<bool>> = vec![None; automaton.atoms.len()];
        for edge in &automaton.states[from].edges {
            let mut fault = None;
            let holds = edge.guard.holds(|atom| {
                let value = match values[atom] {
                    Some(value) => value,
                    None => match observation.holds(&automaton.atoms[atom].expr) {
                        Ok(value) => value,
                        Err(violation) => {
                            fault = Some(Violation { span: automaton.atoms[atom].span, ..violation });
                            false
                        }
                    },
                };
                values[atom] = Some(value);
                value
            });
            seen.violations.extend(fault);
            if !holds || fault.is_some() {
                continue;
            }
            if automaton.states[edge.target].accepts_all(edge.target) {
                let span = automaton.atoms.first().map(|atom| atom.span).unwrap_or_default();
                let pid = crate::evaluator::OBSERVER as u8;
                seen.violations.push(Violation { kind: ViolationKind::ClaimMatched, span, pid });
            } else {
                seen.next.push((edge.target as u32).to_le_bytes().to_vec());
            }
        }
        seen.next.sort_unstable();
        seen.next.dedup();
        seen
    }

    /// Returns whether a run that stutters in a state for ever is observed.
    fn stutters(&self, state: &[u8]) -> bool {
        match self.watcher {
            Watcher::Automaton(_) | Watcher::Never(_) => true,
            Watcher::Acceptance => self.colour(state) == Colour::Accepting,
            Watcher::Progress | Watcher::Trace { .. } => false,
        }
    }

    /// Follows the pattern of a trace over every step of the system.
    fn follow_events(
        &self,
        events: Events<'_>,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> Expansion {
        let (memory, system) = state.split_at(self.memory_bytes());
        let here = never::location(memory);
        let mut joint = Vec::with_capacity(state.len());
        let expansion = self.evaluator.successors(system, scratch, &mut |successor| {
            if successor.pulse.is_some() {
                return visit(successor);
            }
            let followed = events.follow(&self.evaluator, system, here, successor.events);
            joint.clear();
            joint.extend_from_slice(&followed.unwrap_or(here).0.to_le_bytes());
            joint.extend_from_slice(successor.target.unwrap_or_default());
            let violations: &[Violation] = followed.as_ref().err().map_or(&[], std::slice::from_ref);
            visit(Successor {
                violations,
                target: successor.target.map(|_| &*joint),
                difference: Difference::Unknown,
                ..successor
            })
        });
        let processes = self.evaluator.load(system).process_count();
        if expansion != Expansion::Moves
            && processes > 0
            && let Some(violation) = events.at_end(here)
        {
            let _ = visit(Successor { violations: &[violation], ..Successor::default() });
        }
        expansion
    }

    /// Enumerates the joint steps of the observer and the system, or of some of its processes.
    fn pairs(
        &self,
        processes: Option<ProcessSet>,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) -> Expansion {
        let (memory, system) = state.split_at(self.memory_bytes());
        let seen = self.look(memory, system);
        if !seen.violations.is_empty() {
            let _ = visit(Successor { violations: &seen.violations, ..Successor::default() });
            return Expansion::Moves;
        }
        if seen.next.is_empty() {
            return Expansion::Ended;
        }
        let mut joint = Vec::with_capacity(state.len());
        let mut pair = |moves: &[Move], target: &[u8], difference: Difference<'_>, pulse: Option<u64>| {
            if pulse.is_some() {
                return visit(Successor { moves, difference, pulse, ..Successor::default() });
            }
            let difference = match difference {
                Difference::Unknown => Difference::Unknown,
                Difference::Alike | Difference::Changes(_) => Difference::Alike,
            };
            for memory in &seen.next {
                joint.clear();
                joint.extend_from_slice(memory);
                joint.extend_from_slice(target);
                visit(Successor { moves, target: Some(&joint), difference, ..Successor::default() })?;
            }
            ControlFlow::Continue(())
        };
        let mut leads_on = false;
        let mut stopped = false;
        let mut faults: Vec<Vec<Move>> = Vec::new();
        let mut step = |successor: Successor<'_>| match successor.target {
            Some(target) => {
                leads_on = true;
                let flow = pair(successor.moves, target, successor.difference, None);
                stopped = flow.is_break();
                flow
            }
            None if successor.pulse.is_some() => {
                let flow = pair(successor.moves, &[], successor.difference, successor.pulse);
                stopped = flow.is_break();
                flow
            }
            None => {
                // A statement that goes wrong and blocks is no step.
                if successor.violations.iter().any(|wrong| wrong.kind.is_fatal()) {
                    // One for each that begins in the same way: an atomic sequence may go wrong on countless
                    // paths.
                    let begins_alike =
                        |other: &Vec<Move>| other.iter().take(2).eq(successor.moves.iter().take(2));
                    if !faults.iter().any(begins_alike) {
                        faults.push(successor.moves.to_vec());
                    }
                }
                ControlFlow::Continue(())
            }
        };
        match processes {
            Some(processes) => self.space().successors_of(processes, system, scratch, &mut step),
            None => {
                self.space().successors(system, scratch, &mut step);
            }
        }
        if stopped || leads_on {
            // A step into a fault leads nowhere, but whoever could take it could move.
            for moves in &faults {
                stopped = stopped || visit(Successor { moves, ..Successor::default() }).is_break();
            }
        } else if self.stutters(state) {
            let _ = pair(&[], system, Difference::Alike, None);
        } else {
            return Expansion::Ended;
        }
        Expansion::Moves
    }
}

/// Returns for each place whether it is on no cycle with an accepting place: whether its strongly connected
/// component has no such place, or no edge.
fn hopeless(accepting: &[bool], targets: &dyn Fn(usize) -> Vec<usize>) -> Vec<bool> {
    let count = accepting.len();
    let edges: Vec<Vec<usize>> = (0..count).map(targets).collect();
    let found = find_indexed(count, 0..count, |place, edge| edges[place].get(edge).copied());
    let mut has_hope = vec![false; count];
    found.each(|members| {
        let stays = |place: &usize| edges[*place].iter().any(|target| found.are_together(*place, *target));
        let members = || members.iter().map(|place| *place as usize);
        let is_hopeful = members().any(|place| accepting[place]) && members().any(|place| stays(&place));
        members().for_each(|place| has_hope[place] = is_hopeful);
    });
    has_hope.into_iter().map(|hope| !hope).collect()
}

fn automaton_state(memory: &[u8]) -> usize {
    u32::from_le_bytes([memory[0], memory[1], memory[2], memory[3]]) as usize
}

impl StateSpace for Watched<'_> {
    fn hidden_bytes(&self) -> usize {
        self.evaluator.hidden_bytes()
    }

    fn control(&self, state: &[u8], control: &mut Vec<u8>) {
        self.evaluator.control(self.system_state(state), control);
    }

    fn parts(&self, state: &[u8], ends: &mut Vec<u32>) {
        let memory = self.memory_bytes() as u32;
        if memory > 0 {
            ends.push(memory);
        }
        let before = ends.len();
        self.evaluator.parts(self.system_state(state), ends);
        for end in &mut ends[before..] {
            *end += memory;
        }
    }

    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        let (state, _) = self.evaluator.initial()?;
        let mut joint = match self.watcher {
            Watcher::Automaton(automaton) => (automaton.initial as u32).to_le_bytes().to_vec(),
            Watcher::Never(claim) => never::start(&self.evaluator, claim)?,
            Watcher::Trace { pattern, .. } => pattern.start.0.to_le_bytes().to_vec(),
            Watcher::Acceptance | Watcher::Progress => Vec::new(),
        };
        joint.extend_from_slice(&state);
        Ok((joint, Vec::new()))
    }

    /// Enumerates the joint steps of the observer and some processes. These must be able to move.
    fn successors_of(
        &self,
        processes: ProcessSet,
        state: &[u8],
        scratch: &mut Scratch,
        visit: &mut Visit<'_>,
    ) {
        self.pairs(Some(processes), state, scratch, visit);
    }

    /// Enumerates all joint steps. A violation here is one that the observer found; those of the system
    /// itself are ignored.
    fn successors(&self, state: &[u8], scratch: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        match self.watcher {
            Watcher::Trace { pattern, forbidden } => {
                self.follow_events(Events { pattern, forbidden }, state, scratch, visit)
            }
            _ => self.pairs(None, state, scratch, visit),
        }
    }
}
