//! Long-run averages: bottom strongly connected components, the gain of each, and the probability of reaching
//! each.

use narrows_graph::components::{OUTSIDE, find_in_lists};

use super::chain::Chain;
use super::gain::gain;
use super::interval::{Accuracy, Interval};
use super::total_reward::total;

/// Bounds the average of each reward in the long run. A reward gives, for each state, what is gained there
/// per time.
///
/// What an event counts is a reward too: in each state, the rate of the event times what it counts.
pub fn long_run(chain: &Chain, rewards: &[Vec<f64>], accuracy: Accuracy<'_>) -> Vec<Interval> {
    let parts = Parts::new(chain);
    let mut values = vec![0.0; chain.states()];
    rewards.iter().map(|reward| parts.average(chain, reward, &mut values, accuracy)).collect()
}

/// The reachable states, divided into bottom components and transient states.
pub(super) struct Parts {
    /// The bottom components, with their states in ascending order.
    pub(super) bottoms: Vec<Vec<u32>>,
    /// Transient states, in ascending order.
    pub(super) passing: Vec<u32>,
}

impl Parts {
    pub(super) fn new(chain: &Chain) -> Parts {
        if is_connected(chain) {
            return Parts { bottoms: vec![(0..chain.states() as u32).collect()], passing: Vec::new() };
        }
        let roots = chain.initial().iter().map(|(state, _)| *state);
        let found = find_in_lists(chain.states(), roots, |state| chain.targets(state));
        let bottom = found.bottoms(|state| chain.targets(state));
        let mut number = vec![OUTSIDE; found.count as usize];
        let mut sizes = Vec::new();
        for state in &found.finished {
            let component = found.of[*state as usize] as usize;
            if bottom[component] {
                if number[component] == OUTSIDE {
                    number[component] = sizes.len() as u32;
                    sizes.push(0);
                }
                sizes[number[component] as usize] += 1;
            }
        }
        let mut parts =
            Parts { bottoms: sizes.into_iter().map(Vec::with_capacity).collect(), passing: Vec::new() };
        for (state, component) in (0..).zip(&found.of) {
            match number.get(*component as usize) {
                Some(&OUTSIDE) => parts.passing.push(state),
                Some(number) => parts.bottoms[*number as usize].push(state),
                None => {}
            }
        }
        parts
    }

    fn average(&self, chain: &Chain, reward: &[f64], values: &mut [f64], accuracy: Accuracy<'_>) -> Interval {
        let finer = Accuracy { relative: accuracy.relative / 2.0, ..accuracy };
        if let [only] = self.bottoms.as_slice() {
            return gain(chain, only, reward, values, accuracy);
        }
        let gains: Vec<Interval> =
            self.bottoms.iter().map(|members| gain(chain, members, reward, values, finer)).collect();
        let hull = gains.iter().fold(gains[0], |hull, gain| Interval {
            low: hull.low.min(gain.low),
            high: hull.high.max(gain.high),
        });
        if accuracy.is_met(hull) || !hull.width().is_finite() {
            return hull;
        }
        // The mean is that of the middles, give or take that of half the widths.
        let nothing = vec![0.0; chain.states()];
        let mut mean = |of: &dyn Fn(&Interval) -> f64| {
            for (members, gain) in self.bottoms.iter().zip(&gains) {
                for state in members {
                    values[*state as usize] = of(gain);
                }
            }
            total(chain, &self.passing, &nothing, values, chain.initial(), finer)
        };
        let middle = mean(&Interval::middle);
        let half = mean(&|gain| (gain.high - gain.middle()).max(gain.middle() - gain.low).next_up());
        hull.and(middle.widened(half.high.max(0.0)))
    }

    /// Returns the probability of reaching each bottom component.
    pub(super) fn reached(&self, chain: &Chain, values: &mut [f64], accuracy: Accuracy<'_>) -> Vec<Interval> {
        if self.bottoms.len() == 1 {
            return vec![Interval::exactly(1.0)];
        }
        let nothing = vec![0.0; chain.states()];
        let mut of_one = |one: usize| {
            for (number, members) in self.bottoms.iter().enumerate() {
                for state in members {
                    values[*state as usize] = if number == one { 1.0 } else { 0.0 };
                }
            }
            total(chain, &self.passing, &nothing, values, chain.initial(), accuracy)
        };
        (0..self.bottoms.len()).map(|one| of_one(one).and(Interval { low: 0.0, high: 1.0 })).collect()
    }
}

/// So many double sweeps over all states are tried before components are computed.
const LOOKS: usize = 5;

/// Returns whether the chain is irreducible, if a few sweeps show that. They do if states are numbered in the
/// order of discovery, and are much faster than a search for components.
fn is_connected(chain: &Chain) -> bool {
    let Some((root, _)) = chain.initial().first() else { return false };
    let root_only = || {
        let mut known = vec![false; chain.states()];
        known[*root as usize] = true;
        known
    };
    let (mut returns, mut reached) = (root_only(), root_only());
    let all_return = show_all(chain.states(), |state| {
        returns[state] =
            returns[state] || chain.targets(state).iter().any(|target| returns[*target as usize]);
        returns[state]
    });
    all_return
        && show_all(chain.states(), |state| {
            if reached[state] {
                chain.targets(state).iter().for_each(|target| reached[*target as usize] = true);
            }
            reached[state]
        })
}

/// Sweeps over all states and back until a property is known of all of them; returns whether it came to that.
fn show_all(states: usize, mut look: impl FnMut(usize) -> bool) -> bool {
    (0..LOOKS).any(|_| {
        (0..states).fold(true, |all, state| look(state) & all)
            || (0..states).rev().fold(true, |all, state| look(state) & all)
    })
}

/// Bounds the total reward until a target state is first reached; with reward 1, the hitting time. Infinite
/// if the target is not reached almost surely.
pub fn until(
    chain: &Chain,
    reward: &[f64],
    target: impl Fn(u32) -> bool,
    accuracy: Accuracy<'_>,
) -> Interval {
    let successors = |state: usize| if target(state as u32) { &[][..] } else { chain.targets(state) };
    let roots = chain.initial().iter().map(|(state, _)| *state);
    let found = find_in_lists(chain.states(), roots, successors);
    let bottom = found.bottoms(successors);
    let is_lost = |state: &u32| bottom[found.of[*state as usize] as usize] && !target(*state);
    if found.finished.iter().any(is_lost) {
        return Interval::INFINITE;
    }
    let mut members = found.finished;
    members.retain(|state| !target(*state));
    members.sort_unstable();
    let mut values = vec![0.0; chain.states()];
    total(chain, &members, reward, &mut values, chain.initial(), accuracy)
}

/// Bounds the mean hitting time of the target states.
pub fn mean_time(chain: &Chain, target: impl Fn(u32) -> bool, accuracy: Accuracy<'_>) -> Interval {
    until(chain, &vec![1.0; chain.states()], target, accuracy)
}
