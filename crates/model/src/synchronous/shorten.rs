//! Endless runs made shorter.
//!
//! A run that an engine finds against a formula passes what must come again one after the other, and often
//! goes a long way round. Here states are left out, and cycles closed earlier, as long as what remains is a
//! run of the system, is fair, and the formula is still false on it. Each candidate is judged by the
//! definition of the formula, so nothing depends on how the run was found.

use std::collections::HashMap;

use super::evaluate::{Evaluation, Moment};
use super::formula::Linear;
use super::lasso::holds_where;
use super::reference::Reference;
use super::run::Run;
use super::system::{ExprId, SynchronousSystem};

/// Runs with more states than this are left as they are: every pair of states is looked at.
const MAX_STATES: usize = 400;
/// So many expressions are computed to find out which states can follow each other.
const MAX_WORK: usize = 10_000_000;
/// So many values of formulas are computed at most.
const PATIENCE: usize = 50_000_000;

/// Returns a run that is as fair as an endless one and on which the last formula is false as well, with no
/// more states.
pub fn shortened(formulas: &[Linear], reference: &Reference<'_>, run: Run) -> Run {
    let Some(start) = run.cycle.filter(|start| *start < run.states.len()) else { return run };
    if run.states.len() > MAX_STATES {
        return run;
    }
    let mut shortening = Shortening::new(formulas, reference, &run);
    let mut best = Lasso { places: (0..run.states.len()).collect(), start };
    while let Some(better) = shortening.improved(&best) {
        best = better;
    }
    let states = best.places.iter().map(|place| run.states[*place].clone()).collect();
    Run { states, cycle: Some(best.start) }
}

/// Returns to which states there is a step from one of a run.
fn steps_from(reference: &Reference<'_>, run: &Run, place: usize) -> Vec<bool> {
    let (states, system) = (&run.states, reference.system());
    if states.len() * states.len() * system.nodes.len() <= MAX_WORK {
        return states.iter().map(|after| reference.is_step(&states[place], after)).collect();
    }
    // Where that takes too long, only the steps of the run itself, to every state that is the same.
    let next = states.get(place + 1).or_else(|| run.cycle.and_then(|start| states.get(start)));
    let next = next.map(|next| reference.pack(next));
    states.iter().map(|after| Some(reference.pack(after)) == next).collect()
}

/// Some places of the run that was given, in a new order, and where the cycle starts among them.
#[derive(Clone)]
struct Lasso {
    places: Vec<usize>,
    start: usize,
}

struct Shortening<'a, 'm> {
    formulas: &'a [Linear],
    run: &'a Run,
    system: &'m SynchronousSystem,
    evaluation: Evaluation<'m>,
    /// Between which places there is a step.
    steps: Vec<Vec<bool>>,
    is_initial: Vec<bool>,
    /// Of each expression that is asked for in a state, what it is at each place.
    known: HashMap<ExprId, Vec<bool>>,
    patience: usize,
}

impl<'a, 'm> Shortening<'a, 'm> {
    fn new(formulas: &'a [Linear], reference: &Reference<'m>, run: &'a Run) -> Self {
        let states = &run.states;
        let steps = (0..states.len()).map(|place| steps_from(reference, run, place)).collect();
        let mut shortening = Shortening {
            formulas,
            run,
            system: reference.system(),
            evaluation: Evaluation::new(reference.system()),
            steps,
            is_initial: states.iter().map(|state| reference.is_initial(state)).collect(),
            known: HashMap::new(),
            patience: PATIENCE,
        };
        for formula in formulas {
            // What is said of steps depends on which states follow each other.
            if let Linear::Atom(root) = formula
                && shortening.system.looks_at(*root).1.is_empty()
            {
                shortening.at(*root);
            }
        }
        shortening
    }

    /// Returns what an expression is at each place; it looks at current values and inputs alone.
    fn at(&mut self, expression: ExprId) -> &[bool] {
        let (run, evaluation) = (self.run, &mut self.evaluation);
        self.known.entry(expression).or_insert_with(|| {
            run.states.iter().map(|state| evaluation.is_true(expression, Moment::still(state))).collect()
        })
    }

    /// Returns whether a lasso is fair and the formula is false on it.
    fn is_wanted(&mut self, lasso: &Lasso) -> bool {
        let cost = self.formulas.len() * lasso.places.len();
        let Some(rest) = self.patience.checked_sub(cost) else { return false };
        self.patience = rest;
        let round = &lasso.places[lasso.start..];
        let system = self.system;
        let justice = system.justice.iter().all(|root| self.has(*root, round));
        let is_fair = justice
            && system
                .compassion
                .iter()
                .all(|(first, second)| !self.has(*first, round) || self.has(*second, round));
        if !is_fair {
            return false;
        }
        let (states, known, evaluation) = (&self.run.states, &self.known, &mut self.evaluation);
        let found =
            holds_where(self.formulas, &lasso.places, lasso.start, &mut |root, now, next| match known
                .get(&root)
            {
                Some(values) => values[now],
                None => evaluation.is_true(root, Moment { current: &states[now], next: &states[next] }),
            });
        found == Some(false)
    }

    fn has(&mut self, root: ExprId, round: &[usize]) -> bool {
        let values = self.at(root);
        round.iter().any(|place| values[*place])
    }

    /// Returns a shorter lasso, if one of the ways to make one is as good.
    fn improved(&mut self, lasso: &Lasso) -> Option<Lasso> {
        let length = lasso.places.len();
        let step = |steps: &[Vec<bool>], from: usize, to: usize| steps[lasso.places[from]][lasso.places[to]];
        // Closed earlier, the shortest first.
        for end in 0..length - 1 {
            for start in (0..=end).rev() {
                if step(&self.steps, end, start) {
                    let candidate = Lasso { places: lasso.places[..=end].to_vec(), start };
                    if self.is_wanted(&candidate) {
                        return Some(candidate);
                    }
                }
            }
        }
        // Begun later.
        for first in (1..=lasso.start).rev() {
            if self.is_initial[lasso.places[first]] {
                let candidate = Lasso { places: lasso.places[first..].to_vec(), start: lasso.start - first };
                if self.is_wanted(&candidate) {
                    return Some(candidate);
                }
            }
        }
        // Without what lies between two states, as much as can be.
        for gap in (1..length.saturating_sub(1)).rev() {
            for before in 0..length - 1 - gap {
                let after = before + gap + 1;
                // The state that the cycle comes back to stays, or what comes after the gap takes its place.
                if !step(&self.steps, before, after) {
                    continue;
                }
                let mut places = lasso.places[..=before].to_vec();
                places.extend(&lasso.places[after..]);
                let start = if lasso.start <= before { lasso.start } else { lasso.start.max(after) - gap };
                let last = places[places.len() - 1];
                if !self.steps[last][places[start]] {
                    continue;
                }
                let candidate = Lasso { places, start };
                if self.is_wanted(&candidate) {
                    return Some(candidate);
                }
            }
        }
        None
    }
}
