//! Markov automata under a fixed policy: chains in which some states take no time.

use narrows_graph::components::{OUTSIDE, find_in_lists};

use super::automaton::{Automaton, Reward};
use super::chain::{self, Chain, ChainError};
use super::elimination::{Dense, MAX_ELIMINATED};
use super::interval::Accuracy;
use super::relaxation::Equations;

/// Some states of an automaton under a policy, numbered anew; all other states are one more, the last.
pub(super) struct FixedPolicy {
    pub(super) chain: Chain,
    /// What is gained in each state, per time or per step.
    pub(super) right: Vec<f64>,
    /// 1 in tangible states, 0 in vanishing ones.
    pub(super) time: Vec<f64>,
}

/// Some states of an automaton, and their numbers among themselves.
pub(super) struct Members {
    /// In ascending order.
    pub(super) states: Vec<u32>,
}

impl Members {
    /// Returns the number of a state, or how many there are if it is not among them.
    pub(super) fn place(&self, state: u32) -> u32 {
        self.states.binary_search(&state).unwrap_or(self.states.len()) as u32
    }

    /// Fixes a choice in each state; `policy` has one for each state of the automaton.
    pub(super) fn fixed(
        &self,
        automaton: &Automaton,
        policy: &[u32],
        reward: &Reward,
    ) -> Result<FixedPolicy, ChainError> {
        let mut builder = chain::Builder::new(self.states.len() + 1, 0);
        let (mut right, mut time) = (Vec::new(), Vec::new());
        for state in &self.states {
            let choice = policy[*state as usize] as usize;
            builder.row(automaton.row(choice).map(|(target, weight)| (self.place(target), weight)));
            right.push(automaton.gained(reward, *state as usize, choice));
            time.push(f64::from(u8::from(automaton.waits(*state as usize))));
        }
        builder.row([]);
        right.push(0.0);
        time.push(1.0);
        Ok(FixedPolicy { chain: builder.build([(0, 1.0)])?, right, time })
    }
}

impl FixedPolicy {
    /// Returns the bottom components, except the last state, with their states in ascending order.
    pub(super) fn bottoms(&self) -> Vec<Vec<u32>> {
        let last = self.chain.states() as u32 - 1;
        let found = find_in_lists(self.chain.states(), 0..=last, |state| self.chain.targets(state));
        let bottom = found.bottoms(|state| self.chain.targets(state));
        let mut number = vec![OUTSIDE; found.count as usize];
        let mut all: Vec<Vec<u32>> = Vec::new();
        for state in 0..last {
            let component = found.of[state as usize] as usize;
            if bottom[component] {
                if number[component] == OUTSIDE {
                    number[component] = all.len() as u32;
                    all.push(Vec::new());
                }
                all[number[component] as usize].push(state);
            }
        }
        all
    }

    /// Estimates gain and bias of a component.
    pub(super) fn gain(&self, members: &[u32], values: &mut [f64], accuracy: Accuracy<'_>) -> f64 {
        if let [only] = members {
            values[*only as usize] = 0.0;
            return self.right[*only as usize];
        }
        if members.len() <= MAX_ELIMINATED {
            let of = |column: &[f64]| members.iter().map(|state| column[*state as usize]).collect();
            let columns = vec![of(&self.right), of(&self.time)];
            let solved = Dense::new(&self.chain, members, columns, values).gains();
            let (gain, found) = solved.into_iter().next().unwrap_or_default();
            for (state, value) in members.iter().zip(found) {
                values[*state as usize] = value;
            }
            return gain;
        }
        let time = |state: usize| self.time[state];
        self.relax(members, Some(time), values, accuracy)
    }

    /// Estimates the total reward from each of some transient states, at a cost per time.
    pub(super) fn total(&self, members: &[u32], cost: f64, values: &mut [f64], accuracy: Accuracy<'_>) {
        let mut right = self.right.clone();
        for (right, time) in right.iter_mut().zip(&self.time) {
            *right -= cost * time;
        }
        if members.len() <= MAX_ELIMINATED {
            let columns = vec![members.iter().map(|state| right[*state as usize]).collect()];
            let found = Dense::new(&self.chain, members, columns, values).totals();
            for (state, value) in members.iter().zip(found) {
                values[*state as usize] = value;
            }
            return;
        }
        let costly = FixedPolicy { chain: self.chain.clone(), right, time: Vec::new() };
        costly.relax(members, None::<fn(usize) -> f64>, values, accuracy);
    }

    fn relax<T: Fn(usize) -> f64 + Copy>(
        &self,
        members: &[u32],
        time: Option<T>,
        values: &mut [f64],
        accuracy: Accuracy<'_>,
    ) -> f64 {
        let order: Vec<u32> = members.iter().rev().copied().collect();
        let equations = Equations {
            chain: &self.chain,
            leaving: &self.chain,
            order: &order,
            right: &self.right,
            time,
            closed: false,
            accuracy,
        };
        let mut iteration = equations.start(0.0);
        let mut least = f64::INFINITY;
        let mut stuck = 0;
        loop {
            equations.cycle(&mut iteration, values, 0.0);
            let span = members.iter().map(|state| values[*state as usize].abs()).fold(0.0, f64::max);
            stuck = if iteration.change < 0.5 * least { 0 } else { stuck + 1 };
            least = least.min(iteration.change);
            if iteration.change <= accuracy.relative * 1e-4 * span
                || stuck > 30
                || iteration.sweeps > 50_000
                || accuracy.is_stopped()
            {
                return iteration.gain;
            }
        }
    }
}
