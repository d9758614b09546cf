//! The steps of a synchronous system, with what happens in each of them.

use super::evaluate::{Evaluation, Moment};
use super::reference::Reference;
use super::run::Run;
use super::system::{ExprId, Value};
use crate::{
    Expansion, LocationId, Move, MoveKind, ProctypeId, Scratch, StateSpace, Successor, TransitionId,
    Violation, Visit,
};

/// Looks at a step: the values before it and after it, and the events; returns whether to go on.
type VisitStep<'v> = &'v mut dyn FnMut(&[Value], &[Value], u64) -> bool;

/// A synchronous system as a space in which steps have labels: what happens in them.
///
/// An event is an expression about a step: values before it, inputs, and values after it. The moves of a
/// successor are the events that happen, by their numbers as transitions. Steps between the same states in
/// which different events happen, as inputs differ, are different successors.
#[derive(Clone, Debug)]
pub struct Eventful<'m> {
    reference: Reference<'m>,
    events: Vec<ExprId>,
}

impl<'m> Eventful<'m> {
    /// At most so many events are told apart.
    pub const MAX_EVENTS: usize = 64;

    /// Labels the steps of a synchronous system; events after the [first few](Self::MAX_EVENTS) are left out.
    pub fn new(reference: Reference<'m>, events: &[ExprId]) -> Eventful<'m> {
        Eventful { reference, events: events.iter().copied().take(Eventful::MAX_EVENTS).collect() }
    }

    /// Returns what defines the system.
    pub fn reference(&self) -> &Reference<'m> {
        &self.reference
    }

    /// Returns which events happen in a step, one bit each.
    fn happening(&self, evaluation: &mut Evaluation<'_>, before: &[Value], after: &[Value]) -> u64 {
        let moment = Moment { current: before, next: after };
        let numbered = self.events.iter().enumerate();
        numbered.fold(0, |set, (number, event)| set | u64::from(evaluation.is_true(*event, moment)) << number)
    }

    /// Visits every step from a state, once for each set of events, with the values before it, those after it
    /// and the events.
    fn each(&self, state: &[u8], visit: VisitStep<'_>) {
        let mut seen = std::collections::BTreeSet::new();
        let mut evaluation = Evaluation::new(self.reference.system());
        if self.reference.is_start(state) {
            self.reference.initial_states(&mut |first| visit(first, first, 0));
            return;
        }
        self.reference.steps(&self.reference.unpack(state), &mut |before, after| {
            let events = self.happening(&mut evaluation, before, after);
            !seen.insert((self.reference.pack(after), events)) || visit(before, after, events)
        });
    }

    /// Makes a run of the successors that are chosen, from the space's initial state on. The state that
    /// follows the last one of an endless run is given by the number of the choice that comes again. `None`
    /// if there is no such successor.
    pub fn run(&self, choices: &[u32], cycle: Option<usize>) -> Option<Run> {
        let (mut state, _) = self.initial().ok()?;
        // Before the first state there may be one that stands for all of them.
        let has_start = self.reference.is_start(&state);
        let mut states = Vec::new();
        let mut last = Vec::new();
        for (place, choice) in choices.iter().enumerate() {
            let (mut number, mut found) = (0, None);
            self.each(&state, &mut |before, after, _| {
                if number == *choice {
                    found = Some((before.to_vec(), after.to_vec()));
                }
                number += 1;
                found.is_none()
            });
            let (before, after) = found?;
            if place > 0 || !has_start {
                states.push(before);
            }
            state = self.reference.pack(&after);
            last = after;
        }
        if last.is_empty() {
            last = self.reference.unpack(&state);
        }
        let cycle = cycle.map(|start| start - usize::from(has_start).min(start));
        if cycle.is_none() {
            states.push(last);
        }
        Some(Run { states, cycle })
    }
}

impl StateSpace for Eventful<'_> {
    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        self.reference.initial()
    }

    fn successors(&self, state: &[u8], _: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        let mut found = false;
        let mut moves = Vec::new();
        self.each(state, &mut |_, after, events| {
            found = true;
            moves.clear();
            let happens = |number: &u32| events >> number & 1 == 1;
            moves.extend((0..Eventful::MAX_EVENTS as u32).filter(happens).map(|number| Move {
                pid: 0,
                proctype: ProctypeId(0),
                from: LocationId(0),
                transition: TransitionId(number),
                kind: MoveKind::Alone,
            }));
            let successor = Successor {
                moves: &moves,
                target: Some(&self.reference.pack(after)),
                ..Successor::default()
            };
            visit(successor).is_continue()
        });
        if found { Expansion::Moves } else { Expansion::Deadlock }
    }
}
