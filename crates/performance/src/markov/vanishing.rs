//! From a Markov automaton to a chain: elimination of vanishing states.
//!
//! Each nondeterministic choice becomes a random one: uniform, or a given one. Then a vanishing state is
//! nothing but a distribution over tangible states, computed component by component against the direction of
//! the edges; within a component, states are eliminated one by one, without subtraction. Impulses on the way
//! are added to the reward of the tangible state before.

use std::collections::BTreeMap;

use narrows_graph::components::{OUTSIDE, find_in_lists};

use super::automaton::{Automaton, Reward};
use super::chain::{self, Chain};
use super::end_components::{Zeno, find_zeno, reachable};
use crate::fine::{Fine, QUOTIENT};

/// A chain made of an automaton.
#[derive(Clone, Debug, PartialEq)]
pub struct Vanished {
    /// The chain of the tangible states.
    pub chain: Chain,
    /// For each state of the chain, which one of the automaton it is.
    pub states: Vec<u32>,
    /// For each reward, what is gained in each state of the chain, per time.
    pub rewards: Vec<Vec<f64>>,
    /// For each reward, the impulses before the first tangible state.
    pub before: Vec<f64>,
}

/// The distribution of a vanishing state over tangible ones, and its expected impulses.
#[derive(Clone, Debug, Default)]
struct Outcome {
    row: BTreeMap<u32, Fine>,
    gained: Vec<f64>,
    /// How many roundings what is gained has been through, beside those of the rewards.
    roundings: usize,
}

impl Outcome {
    fn add(&mut self, target: u32, share: Fine) {
        let sum = self.row.entry(target).or_insert(Fine::ZERO);
        *sum = sum.plus(share);
    }

    /// Returns how much a probability may be off, compared with itself.
    fn off(&self) -> f64 {
        self.row.values().map(|share| share.off()).fold(0.0, f64::max)
    }
}

/// Resolves choices uniformly, and eliminates vanishing states.
pub fn uniform(automaton: &Automaton, rewards: &[Reward]) -> Result<Vanished, Zeno> {
    vanish(automaton, rewards, |state| automaton.choices(state).collect())
}

/// Resolves choices uniformly among those that are given, and eliminates vanishing states.
pub fn vanish(
    automaton: &Automaton,
    rewards: &[Reward],
    choices: impl Fn(usize) -> Vec<usize>,
) -> Result<Vanished, Zeno> {
    let mut vanishing = Vanishing::new(automaton, rewards, &choices);
    vanishing.run()?;
    vanishing.finish()
}

/// Returns, for each state, the distribution of the next tangible state; for a tangible one, itself. The
/// error is the first state in which choices differ in that.
pub fn landings(automaton: &Automaton) -> Result<Vec<Vec<(u32, Fine)>>, VanishError> {
    let first = |state: usize| vec![automaton.choices(state).start];
    let mut vanishing = Vanishing::new(automaton, &[], &first);
    vanishing.run().map_err(VanishError::Zeno)?;
    if let Some(zeno) = find_zeno(automaton) {
        return Err(VanishError::Zeno(zeno));
    }
    let landing = |state: usize| -> BTreeMap<u32, Fine> {
        if automaton.waits(state) {
            BTreeMap::from([(state as u32, Fine::ONE)])
        } else {
            vanishing.outcomes[state].row.clone()
        }
    };
    // If every choice agrees with what the first choices lead to, then so does every scheduler.
    let reached = reachable(automaton);
    for state in (0..automaton.states()).filter(|state| reached[*state] && !automaton.waits(*state)) {
        let expected = landing(state);
        for choice in automaton.choices(state).skip(1) {
            let mut found = Outcome::default();
            for (target, weight) in automaton.fine_row(choice) {
                for (to, share) in landing(target as usize) {
                    found.add(to, weight.times(share));
                }
            }
            let found = found.row;
            let is_close = |(one, other): (&Fine, &Fine)| {
                (one.near() - other.near()).abs() <= 1e-12 * one.near().max(other.near())
            };
            if !expected.keys().eq(found.keys()) || !expected.values().zip(found.values()).all(is_close) {
                return Err(VanishError::Choice(state as u32));
            }
        }
    }
    Ok((0..automaton.states()).map(|state| landing(state).into_iter().collect()).collect())
}

/// The distributions of vanishing states under a policy.
pub(super) struct Resolved {
    /// For each vanishing state, the distribution of the next tangible state; empty for others.
    pub(super) rows: Vec<Vec<(u32, f64)>>,
    /// How long a row is at most.
    pub(super) terms: usize,
    /// How many roundings a probability has been through at most.
    pub(super) roundings: usize,
}

/// Roundings of the usual precision that are as much as numbers may be off, and one more.
fn as_roundings(off: f64) -> usize {
    (off / f64::EPSILON).ceil() as usize + 1
}

/// Computes the distributions of vanishing states under a policy.
pub(super) fn resolve(automaton: &Automaton, policy: &[u32]) -> Result<Resolved, Zeno> {
    let mut vanishing = Vanishing::new(automaton, &[], &|state| vec![policy[state] as usize]);
    vanishing.run()?;
    let off = vanishing.outcomes.iter().map(Outcome::off).fold(0.0, f64::max);
    let roundings = automaton.roundings() + as_roundings(off);
    let near = |outcome: Outcome| outcome.row.into_iter().map(|(to, share)| (to, share.near())).collect();
    let rows: Vec<Vec<(u32, f64)>> = vanishing.outcomes.into_iter().map(near).collect();
    let terms = rows.iter().map(Vec::len).max().unwrap_or(0);
    Ok(Resolved { rows, terms, roundings })
}

/// Why an automaton is not a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VanishError {
    /// There is a Zeno cycle.
    Zeno(Zeno),
    /// The choice in this state matters.
    Choice(u32),
}

struct Vanishing<'a> {
    automaton: &'a Automaton,
    rewards: &'a [Reward],
    /// For each state, where it goes and what it gains at once.
    outcomes: Vec<Outcome>,
}

impl<'a> Vanishing<'a> {
    fn new(
        automaton: &'a Automaton,
        rewards: &'a [Reward],
        choices: &impl Fn(usize) -> Vec<usize>,
    ) -> Vanishing<'a> {
        let outcome = |state: usize| {
            let mut outcome = Outcome { gained: vec![0.0; rewards.len()], ..Outcome::default() };
            if automaton.waits(state) {
                return outcome;
            }
            let choices = choices(state);
            for choice in &choices {
                let share = Fine::ratio(1, choices.len() as i128);
                for (target, weight) in automaton.fine_row(*choice) {
                    outcome.add(target, share.times(weight));
                }
                for (gained, reward) in outcome.gained.iter_mut().zip(rewards) {
                    *gained += share.near() * reward.impulses[*choice];
                }
            }
            outcome.roundings += choices.len() + 3;
            outcome
        };
        Vanishing { automaton, rewards, outcomes: (0..automaton.states()).map(outcome).collect() }
    }

    /// Resolves every vanishing state.
    fn run(&mut self) -> Result<(), Zeno> {
        let automaton = self.automaton;
        let deciding: Vec<Vec<u32>> = self
            .outcomes
            .iter()
            .map(|outcome| outcome.row.keys().copied().filter(|to| !automaton.waits(*to as usize)).collect())
            .collect();
        let reached = reachable(automaton);
        let roots = (0..automaton.states()).filter(|state| reached[*state] && !automaton.waits(*state));
        let roots = roots.map(|state| state as u32);
        let found = find_in_lists(automaton.states(), roots, |state| deciding[state].as_slice());
        let mut groups: Vec<Vec<u32>> = vec![Vec::new(); found.count as usize];
        for state in found.finished {
            groups[found.of[state as usize] as usize].push(state);
        }
        for group in groups {
            for state in &group {
                self.substitute(*state, &|target| found.of[target as usize] != found.of[*state as usize]);
            }
            let is_cycle = |state: &u32| self.outcomes[*state as usize].row.contains_key(state);
            if group.len() > 1 || group.iter().any(is_cycle) {
                self.eliminate(&group)?;
            }
        }
        Ok(())
    }

    /// Replaces decisions that are reached by where they lead, if they have been done.
    fn substitute(&mut self, state: u32, done: &dyn Fn(u32) -> bool) {
        let mut outcome = std::mem::take(&mut self.outcomes[state as usize]);
        let row = std::mem::take(&mut outcome.row);
        let mut most = 0;
        for (target, weight) in row {
            if self.automaton.waits(target as usize) || !done(target) {
                outcome.add(target, weight);
                continue;
            }
            self.hand_on(&mut outcome, target, weight);
            most = most.max(self.outcomes[target as usize].roundings);
        }
        outcome.roundings += most + 2;
        self.outcomes[state as usize] = outcome;
    }

    /// Adds where a decision leads, and what it gains, with a weight.
    fn hand_on(&self, outcome: &mut Outcome, target: u32, weight: Fine) {
        let behind = &self.outcomes[target as usize];
        for (to, share) in &behind.row {
            outcome.add(*to, weight.times(*share));
        }
        outcome.roundings += 1 + as_roundings(weight.off());
        for (gained, more) in outcome.gained.iter_mut().zip(&behind.gained) {
            *gained += weight.near() * more;
        }
    }

    /// Eliminates a component of vanishing states.
    fn eliminate(&mut self, group: &[u32]) -> Result<(), Zeno> {
        let before = group.iter().map(|state| self.outcomes[*state as usize].off()).fold(0.0, f64::max);
        for state in group {
            let mut outcome = std::mem::take(&mut self.outcomes[*state as usize]);
            outcome.row.remove(state);
            let leaves = outcome.row.values().fold(Fine::ZERO, |sum, weight| sum.plus(*weight));
            if leaves == Fine::ZERO {
                return Err(Zeno { cycle: group.to_vec() });
            }
            for weight in outcome.row.values_mut() {
                *weight = weight.over(leaves);
            }
            for gained in &mut outcome.gained {
                *gained /= leaves.near();
            }
            self.outcomes[*state as usize] = outcome;
            for other in group.iter().filter(|other| *other != state) {
                let mut outcome = std::mem::take(&mut self.outcomes[*other as usize]);
                if let Some(weight) = outcome.row.remove(state) {
                    self.hand_on(&mut outcome, *state, weight);
                }
                self.outcomes[*other as usize] = outcome;
            }
        }
        // As in `elimination.rs`: n³ roundings, of which each may hit every number.
        let size = group.len();
        let most = group.iter().map(|state| self.outcomes[*state as usize].roundings).max().unwrap_or(0);
        let roundings = 4 * size * (size + 1) * (size + 4);
        let off = roundings as f64 * QUOTIENT + 4.0 * size as f64 * before;
        for state in group {
            let outcome = &mut self.outcomes[*state as usize];
            outcome.roundings = roundings + 4 * size * (most + as_roundings(before));
            outcome.row.values_mut().for_each(|share| *share = share.within(off));
        }
        Ok(())
    }

    fn finish(self) -> Result<Vanished, Zeno> {
        let automaton = self.automaton;
        let reached = reachable(automaton);
        let states = (0..automaton.states()).filter(|state| reached[*state] && automaton.waits(*state));
        let states: Vec<u32> = states.map(|state| state as u32).collect();
        let mut number = vec![OUTSIDE; automaton.states()];
        for (place, state) in (0..).zip(&states) {
            number[*state as usize] = place;
        }
        let mut builder = chain::Builder::new(states.len(), states.len());
        builder.rounded_sums(automaton.roundings());
        let mut off = automaton.fine_off();
        let mut rewards = vec![Vec::with_capacity(states.len()); self.rewards.len()];
        for state in states.iter().map(|state| *state as usize) {
            let mut row = Vec::new();
            let mut gained: Vec<f64> = self.rewards.iter().map(|reward| reward.rates[state]).collect();
            let mut roundings = 0;
            for (target, rate) in automaton.fine_row(automaton.choices(state).start) {
                if automaton.waits(target as usize) {
                    row.push((number[target as usize], rate.double()));
                    continue;
                }
                let outcome = &self.outcomes[target as usize];
                for (to, share) in &outcome.row {
                    let product = rate.times(*share);
                    off = off.max(product.off());
                    row.push((number[*to as usize], product.double()));
                }
                for (gained, more) in gained.iter_mut().zip(&outcome.gained) {
                    *gained += rate.near() * more;
                }
                roundings = roundings.max(outcome.roundings + as_roundings(outcome.off()));
            }
            if roundings > 0 {
                builder.rounded_sums(automaton.roundings() + roundings + row.len() + 1);
            }
            builder.fine_row(row);
            for (column, gained) in rewards.iter_mut().zip(gained) {
                column.push(gained);
            }
        }
        let initial = automaton.initial();
        let first = &self.outcomes[initial as usize];
        let begins: Vec<(u32, f64)> = if automaton.waits(initial as usize) {
            vec![(number[initial as usize], 1.0)]
        } else {
            first.row.iter().map(|(to, share)| (number[*to as usize], share.near())).collect()
        };
        builder.rounded_fine(off);
        let before = first.gained.clone();
        // An automaton is never larger than what fits, and without decisions that lead nowhere some state
        // waits.
        let chain = builder.build(begins).map_err(|_| Zeno { cycle: vec![initial] })?;
        Ok(Vanished { chain, states, rewards, before })
    }
}
