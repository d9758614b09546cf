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
    row: BTreeMap<u32, f64>,
    gained: Vec<f64>,
    roundings: usize,
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
pub fn landings(automaton: &Automaton) -> Result<Vec<Vec<(u32, f64)>>, VanishError> {
    let first = |state: usize| vec![automaton.choices(state).start];
    let mut vanishing = Vanishing::new(automaton, &[], &first);
    vanishing.run().map_err(VanishError::Zeno)?;
    if let Some(zeno) = find_zeno(automaton) {
        return Err(VanishError::Zeno(zeno));
    }
    let landing = |state: usize| -> BTreeMap<u32, f64> {
        if automaton.waits(state) {
            BTreeMap::from([(state as u32, 1.0)])
        } else {
            vanishing.outcomes[state].row.clone()
        }
    };
    // If every choice agrees with what the first choices lead to, then so does every scheduler.
    let reached = reachable(automaton);
    for state in (0..automaton.states()).filter(|state| reached[*state] && !automaton.waits(*state)) {
        let expected = landing(state);
        for choice in automaton.choices(state).skip(1) {
            let mut found: BTreeMap<u32, f64> = BTreeMap::new();
            for (target, weight) in automaton.row(choice) {
                for (to, share) in landing(target as usize) {
                    *found.entry(to).or_default() += weight * share;
                }
            }
            let is_close = |(one, other): (&f64, &f64)| (one - other).abs() <= 1e-12 * one.max(*other);
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

/// Computes the distributions of vanishing states under a policy.
pub(super) fn resolve(automaton: &Automaton, policy: &[u32]) -> Result<Resolved, Zeno> {
    let mut vanishing = Vanishing::new(automaton, &[], &|state| vec![policy[state] as usize]);
    vanishing.run()?;
    let roundings = vanishing.outcomes.iter().map(|outcome| outcome.roundings).max().unwrap_or(0);
    let rows: Vec<Vec<(u32, f64)>> =
        vanishing.outcomes.into_iter().map(|outcome| outcome.row.into_iter().collect()).collect();
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
                let share = 1.0 / choices.len() as f64;
                for (target, weight) in automaton.row(*choice) {
                    *outcome.row.entry(target).or_default() += share * weight;
                    outcome.roundings += 1;
                }
                for (gained, reward) in outcome.gained.iter_mut().zip(rewards) {
                    *gained += share * reward.impulses[*choice];
                }
            }
            outcome.roundings += 3;
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
                *outcome.row.entry(target).or_default() += weight;
                outcome.roundings += 1;
                continue;
            }
            self.hand_on(&mut outcome, target, weight);
            most = most.max(self.outcomes[target as usize].roundings);
        }
        outcome.roundings += most + 2;
        self.outcomes[state as usize] = outcome;
    }

    /// Adds where a decision leads, and what it gains, with a weight.
    fn hand_on(&self, outcome: &mut Outcome, target: u32, weight: f64) {
        let behind = &self.outcomes[target as usize];
        for (to, share) in &behind.row {
            *outcome.row.entry(*to).or_default() += weight * share;
        }
        outcome.roundings += 1;
        for (gained, more) in outcome.gained.iter_mut().zip(&behind.gained) {
            *gained += weight * more;
        }
    }

    /// Eliminates a component of vanishing states.
    fn eliminate(&mut self, group: &[u32]) -> Result<(), Zeno> {
        for state in group {
            let mut outcome = std::mem::take(&mut self.outcomes[*state as usize]);
            outcome.row.remove(state);
            let leaves: f64 = outcome.row.values().sum();
            if leaves == 0.0 {
                return Err(Zeno { cycle: group.to_vec() });
            }
            for weight in outcome.row.values_mut() {
                *weight /= leaves;
            }
            for gained in &mut outcome.gained {
                *gained /= leaves;
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
        for state in group {
            self.outcomes[*state as usize].roundings = 4 * size * (size + 1) * (size + 4) + 4 * size * most;
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
        builder.rounded(automaton.rate_roundings());
        let mut rewards = vec![Vec::with_capacity(states.len()); self.rewards.len()];
        for state in states.iter().map(|state| *state as usize) {
            let mut row = Vec::new();
            let mut gained: Vec<f64> = self.rewards.iter().map(|reward| reward.rates[state]).collect();
            let mut roundings = 0;
            for (target, rate) in automaton.row(automaton.choices(state).start) {
                if automaton.waits(target as usize) {
                    row.push((number[target as usize], rate));
                    continue;
                }
                let outcome = &self.outcomes[target as usize];
                row.extend(outcome.row.iter().map(|(to, share)| (number[*to as usize], rate * share)));
                for (gained, more) in gained.iter_mut().zip(&outcome.gained) {
                    *gained += rate * more;
                }
                roundings = roundings.max(outcome.roundings);
            }
            if roundings > 0 {
                builder.rounded(automaton.roundings() + roundings + row.len() + 1);
            }
            builder.row(row);
            for (column, gained) in rewards.iter_mut().zip(gained) {
                column.push(gained);
            }
        }
        let initial = automaton.initial();
        let first = &self.outcomes[initial as usize];
        let begins: Vec<(u32, f64)> = if automaton.waits(initial as usize) {
            vec![(number[initial as usize], 1.0)]
        } else {
            first.row.iter().map(|(to, share)| (number[*to as usize], *share)).collect()
        };
        let before = first.gained.clone();
        // An automaton is never larger than what fits, and without decisions that lead nowhere some state
        // waits.
        let chain = builder.build(begins).map_err(|_| Zeno { cycle: vec![initial] })?;
        Ok(Vanished { chain, states, rewards, before })
    }
}
