//! The graph of orbits, as a state space.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use narrows_model::{
    Difference, Evaluator, Expansion, Move, Scratch, StateSpace, Successor, Violation, Visit,
};

use super::{CanonicalScratch, Symmetry};
use crate::{Finding, Run, Wrong};

/// A state space in which only canonical states are visited.
pub struct Quotient<'q> {
    space: &'q dyn StateSpace,
    symmetry: &'q Symmetry,
    scratches: Mutex<Vec<Room>>,
    count: Mutex<OrbitCount>,
}

/// How many states and transitions there are without exchanges: those of the states that were expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrbitCount {
    /// How many states were expanded.
    pub expanded: u64,
    /// How many states their orbits have; `None` if they can't be counted.
    pub states: Option<u128>,
    /// How many transitions these have.
    pub transitions: Option<u128>,
}

#[derive(Debug, Default)]
struct Room {
    scratch: CanonicalScratch,
    output: Vec<u8>,
}

impl std::fmt::Debug for Quotient<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Quotient {{ {:?} }}", self.symmetry.words())
    }
}

impl<'q> Quotient<'q> {
    /// Puts canonical states in place of all others. The space must
    /// [forget](narrows_model::Evaluator::forgetting) if the symmetry does.
    pub fn new(space: &'q dyn StateSpace, symmetry: &'q Symmetry) -> Quotient<'q> {
        let count = OrbitCount { expanded: 0, states: Some(0), transitions: Some(0) };
        Quotient { space, symmetry, scratches: Mutex::default(), count: Mutex::new(count) }
    }

    /// Returns what is exchanged.
    pub fn symmetry(&self) -> &'q Symmetry {
        self.symmetry
    }

    /// Returns how many states and transitions stand behind those that were expanded.
    pub fn count(&self) -> OrbitCount {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn room(&self) -> Room {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn give_back(&self, room: Room) {
        self.scratches.lock().unwrap_or_else(PoisonError::into_inner).push(room);
    }

    /// Counts a state that was expanded, with so many successors.
    fn add(&self, state: &[u8], successors: u64, room: &mut Room) {
        let Room { scratch, output } = room;
        let found = self.symmetry.canonical(state, scratch, output);
        let orbit =
            found.automorphisms.filter(|_| found.is_exact).and_then(|own| Some(self.symmetry.order()? / own));
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        count.expanded += 1;
        count.states = count.states.zip(orbit).and_then(|(all, orbit)| all.checked_add(orbit));
        let edges = orbit.and_then(|orbit| orbit.checked_mul(u128::from(successors)));
        count.transitions = count.transitions.zip(edges).and_then(|(all, edges)| all.checked_add(edges));
    }

    /// Finds a run of the model that shows what a run of the quotient shows.
    pub fn lift(&self, evaluator: Evaluator<'_>, finding: &Finding) -> Option<Finding> {
        let Some(run) = &finding.run else { return Some(finding.clone()) };
        let mut lifted = Lift::new(self, evaluator)?;
        let is_step = matches!(finding.wrong, Wrong::Violation(_)) && !run.choices.is_empty();
        let plain = run.choices.len() - usize::from(is_step);
        run.choices[..plain].iter().try_for_each(|choice| lifted.follow(*choice))?;
        let wrong = match &finding.wrong {
            Wrong::Violation(violation) if is_step => Wrong::Violation(lifted.violate(violation)?),
            Wrong::Violation(violation) => Wrong::Violation(*violation),
            Wrong::Deadlock(_) => Wrong::Deadlock(lifted.real.clone()),
        };
        Some(Finding { wrong, run: Some(Run { choices: lifted.choices }), ..finding.clone() })
    }
}

impl StateSpace for Quotient<'_> {
    fn hidden_bytes(&self) -> usize {
        self.space.hidden_bytes()
    }

    fn initial(&self) -> Result<(Vec<u8>, Vec<Violation>), Violation> {
        let (initial, violations) = self.space.initial()?;
        let mut room = self.room();
        let Room { scratch, output } = &mut room;
        self.symmetry.canonical(&initial, scratch, output);
        let initial = output.clone();
        self.give_back(room);
        Ok((initial, violations))
    }

    fn successors(&self, state: &[u8], scratch: &mut Scratch, visit: &mut Visit<'_>) -> Expansion {
        let mut room = self.room();
        let (mut successors, mut is_whole) = (0, true);
        let expansion = self.space.successors(state, scratch, &mut |successor| {
            successors += u64::from(successor.target.is_some() && successor.pulse.is_none());
            let Room { scratch, output } = &mut room;
            let target = successor.target.map(|target| {
                self.symmetry.canonical(target, scratch, output);
                output.as_slice()
            });
            let flow = visit(Successor { target, difference: Difference::Unknown, ..successor });
            is_whole &= flow.is_continue();
            flow
        });
        if is_whole {
            self.add(state, successors, &mut room);
        }
        self.give_back(room);
        expansion
    }

    fn control(&self, state: &[u8], control: &mut Vec<u8>) {
        self.space.control(state, control);
    }

    fn parts(&self, state: &[u8], ends: &mut Vec<u32>) {
        self.space.parts(state, ends);
    }
}

/// A run of the quotient and one of the model, side by side.
pub(super) struct Lift<'l, 'q, 's> {
    pub(super) quotient: &'l Quotient<'q>,
    evaluator: Evaluator<'s>,
    pub(super) canonical: Vec<u8>,
    pub(super) real: Vec<u8>,
    choices: Vec<u32>,
    pub(super) scratch: Scratch,
}

impl<'l, 'q, 's> Lift<'l, 'q, 's> {
    /// Starts at the initial state; the evaluator forgets if the symmetry does.
    pub(super) fn new(quotient: &'l Quotient<'q>, evaluator: Evaluator<'s>) -> Option<Lift<'l, 'q, 's>> {
        let evaluator = if quotient.symmetry.forgets() { evaluator.forgetting() } else { evaluator };
        let canonical = quotient.initial().ok()?.0;
        let real = evaluator.initial().ok()?.0;
        let (choices, scratch) = (Vec::new(), Scratch::default());
        Some(Lift { quotient, evaluator, canonical, real, choices, scratch })
    }

    /// Takes a step of the quotient, and one of the model that leads to the same orbit.
    fn follow(&mut self, choice: u32) -> Option<()> {
        let (mut number, mut target) = (0, None);
        self.quotient.successors(&self.canonical, &mut self.scratch, &mut |successor| {
            if number == choice {
                target = successor.target.map(<[u8]>::to_vec);
                return ControlFlow::Break(());
            }
            number += 1;
            ControlFlow::Continue(())
        });
        self.lead(target?).map(|_| ())
    }

    /// Takes a step of the model that leads to an orbit; returns who moves.
    pub(super) fn lead(&mut self, target: Vec<u8>) -> Option<Vec<Move>> {
        let mut room = Room::default();
        let (mut number, mut found) = (0, None);
        self.evaluator.successors(&self.real, &mut self.scratch, &mut |successor| {
            if let Some(real) = successor.target {
                let Room { scratch, output } = &mut room;
                self.quotient.symmetry.canonical(real, scratch, output);
                if *output == target {
                    found = Some((number, real.to_vec(), successor.moves.to_vec()));
                    return ControlFlow::Break(());
                }
            }
            number += 1;
            ControlFlow::Continue(())
        });
        let (number, real, moves) = found?;
        self.choices.push(number);
        (self.real, self.canonical) = (real, target);
        Some(moves)
    }

    /// Takes a step of the model that goes wrong as one of the quotient does, perhaps with another process or
    /// one of several statements that are alike.
    fn violate(&mut self, violation: &Violation) -> Option<Violation> {
        let mut best: Option<(bool, u32, Violation)> = None;
        let mut number = 0;
        self.evaluator.successors(&self.real, &mut self.scratch, &mut |successor| {
            for own in successor.violations.iter().filter(|own| own.kind == violation.kind) {
                let is_same = own.span == violation.span;
                if best.is_none_or(|(known, ..)| is_same && !known) {
                    best = Some((is_same, number, *own));
                }
            }
            number += 1;
            ControlFlow::Continue(())
        });
        let (_, number, violation) = best?;
        self.choices.push(number);
        Some(violation)
    }
}
