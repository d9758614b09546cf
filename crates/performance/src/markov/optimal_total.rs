//! The range of the total reward until a target is reached, over all schedulers: stochastic shortest paths.
//!
//! Policy iteration finds a proper policy (one that reaches the target almost surely) and its values x
//! (Bertsekas and Tsitsiklis 1991). If no choice gains on x anywhere, no proper scheduler gains more than x;
//! if the policy's own choices do not lose on x, it gains at least x. Both are checked with bounds on
//! rounding, after x has been shifted by as little as it takes: by a multiple of the expected number of
//! steps, or, where improper schedulers exist, by a factor, and by a multiple of the expected number of steps
//! in a row that cost nothing. Cycles that cost nothing are collapsed first, so that this number is finite.

use narrows_graph::components::OUTSIDE;

use super::automaton::{self, Automaton, Reward};
use super::end_components::{Zeno, end_components, end_components_by, find_zeno, reachable};
use super::interval::{Accuracy, Interval};
use super::policy::Members;

/// Whether to minimise or to maximise over schedulers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The infimum.
    Least,
    /// The supremum.
    Greatest,
}

impl Aim {
    /// Returns the reward to maximise.
    pub(super) fn signed(self, reward: &Reward) -> Reward {
        let sign = |numbers: &[f64]| match self {
            Aim::Greatest => numbers.to_vec(),
            // 0 − x, so that nothing becomes −0.
            Aim::Least => numbers.iter().map(|number| 0.0 - number).collect(),
        };
        Reward { rates: sign(&reward.rates), impulses: sign(&reward.impulses) }
    }

    /// Returns the result for the original reward.
    pub(super) fn unsigned(self, found: Interval) -> Interval {
        match self {
            Aim::Greatest => found,
            Aim::Least => Interval { low: 0.0 - found.high, high: 0.0 - found.low },
        }
    }
}

/// Bounds the greatest or the least total reward until a target state is first reached. Rewards are
/// nonnegative. The greatest is infinite if some scheduler may miss the target, the least if all may.
pub fn until_over(
    automaton: &Automaton,
    reward: &Reward,
    target: impl Fn(u32) -> bool + Copy,
    aim: Aim,
    accuracy: Accuracy<'_>,
) -> Result<Interval, Zeno> {
    if let Some(zeno) = find_zeno(automaton) {
        return Err(zeno);
    }
    if aim == Aim::Least
        && let Some((automaton, reward, number)) = without_free_cycles(automaton, reward, target)
    {
        let mut is_target = vec![false; automaton.states()];
        for (state, number) in (0..).zip(number) {
            is_target[number as usize] |= target(state);
        }
        return Ok(optimal(&automaton, &reward, |state| is_target[state as usize], aim, accuracy));
    }
    Ok(optimal(automaton, reward, target, aim, accuracy))
}

fn optimal(
    automaton: &Automaton,
    reward: &Reward,
    target: impl Fn(u32) -> bool + Copy,
    aim: Aim,
    accuracy: Accuracy<'_>,
) -> Interval {
    let signed = aim.signed(reward);
    let optimum = Optimum::new(automaton, &signed, target);
    let optimum = match aim {
        Aim::Greatest => {
            let is_member = |state: usize| optimum.members.states.binary_search(&(state as u32)).is_ok();
            if !end_components(automaton, is_member).is_empty() {
                return Interval::INFINITE;
            }
            Some(optimum)
        }
        Aim::Least => optimum.restricted(target),
    };
    let Some(optimum) = optimum else { return Interval::INFINITE };
    let found = aim.unsigned(optimum.solve(accuracy));
    Interval { low: found.low.max(0.0), high: found.high }
}

/// The greatest total of a reward until a target, while it is sought.
pub(super) struct Optimum<'a> {
    automaton: &'a Automaton,
    reward: &'a Reward,
    /// The states from which the target is still to be reached.
    members: Members,
    /// Which choices may be taken.
    allowed: Vec<bool>,
    /// Whether all schedulers reach the target.
    is_proper: bool,
    policy: Vec<u32>,
}

impl<'a> Optimum<'a> {
    /// Prepares an automaton in which every scheduler reaches the target.
    pub(super) fn new(
        automaton: &'a Automaton,
        reward: &'a Reward,
        target: impl Fn(u32) -> bool,
    ) -> Optimum<'a> {
        let allowed = vec![true; automaton.choice_count()];
        let policy = (0..automaton.states()).map(|state| automaton.choices(state).start as u32).collect();
        let members = Members { states: reached(automaton, &allowed, target) };
        Optimum { automaton, reward, members, allowed, is_proper: true, policy }
    }

    /// Removes choices that may miss the target; `None` if no scheduler reaches it almost surely.
    fn restricted(mut self, target: impl Fn(u32) -> bool + Copy) -> Option<Optimum<'a>> {
        let automaton = self.automaton;
        let mut inside = vec![false; automaton.states()];
        for state in &self.members.states {
            inside[*state as usize] = true;
        }
        loop {
            let safe = |choice: usize| {
                automaton.targets(choice).iter().all(|to| inside[*to as usize] || target(*to))
            };
            let mut sure = vec![false; automaton.states()];
            let mut grows = true;
            while grows {
                grows = false;
                for state in self.members.states.iter().rev() {
                    if sure[*state as usize] || !inside[*state as usize] {
                        continue;
                    }
                    let leads = |choice: &usize| {
                        safe(*choice)
                            && automaton.targets(*choice).iter().any(|to| sure[*to as usize] || target(*to))
                    };
                    if let Some(choice) = automaton.choices(*state as usize).find(leads) {
                        self.policy[*state as usize] = choice as u32;
                        sure[*state as usize] = true;
                        grows = true;
                    }
                }
            }
            if sure == inside {
                break;
            }
            inside = sure;
        }
        let initial = automaton.initial();
        if !inside[initial as usize] && !target(initial) {
            return None;
        }
        for state in 0..automaton.states() {
            for choice in automaton.choices(state) {
                let stays = |to: &u32| inside[*to as usize] || target(*to);
                self.allowed[choice] = inside[state] && automaton.targets(choice).iter().all(stays);
            }
        }
        self.members = Members { states: reached(automaton, &self.allowed, target) };
        let members = &self.members;
        let is_member = |state: usize| members.states.binary_search(&(state as u32)).is_ok();
        self.is_proper = end_components(automaton, is_member).is_empty();
        Some(self)
    }

    fn choices(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        let range = self.automaton.choices(state as usize);
        range.filter(|choice| self.allowed[*choice]).map(|choice| choice as u32)
    }

    /// Bounds the greatest total from the state the automaton begins in.
    pub(super) fn solve(mut self, accuracy: Accuracy<'_>) -> Interval {
        let initial = self.automaton.initial();
        if self.members.states.binary_search(&initial).is_err() {
            return Interval::exactly(0.0);
        }
        let Some((values, policy)) = self.iterate(self.reward, accuracy) else { return Interval::ANY };
        self.policy = policy;
        if self.members.states.iter().any(|state| !values[*state as usize].is_finite()) {
            return Interval::ANY;
        }
        let steps_reward = self.steps_reward();
        let steps = self.evaluate(&self.policy, &steps_reward, accuracy);
        let low = steps.and_then(|steps| self.below(&values, &steps));
        let high = if self.is_proper {
            self.iterate(&steps_reward, Accuracy { relative: 0.1, ..accuracy })
                .and_then(|(steps, _)| self.above(&values, &steps))
        } else {
            Some(self.scaled(&values))
        };
        let at = |values: Vec<f64>| values[initial as usize];
        Interval { low: low.map_or(f64::NEG_INFINITY, at), high: high.map_or(f64::INFINITY, at) }
    }

    /// The reward that counts steps.
    fn steps_reward(&self) -> Reward {
        Reward {
            rates: (0..self.automaton.states()).map(|state| self.automaton.exit(state)).collect(),
            impulses: vec![1.0; self.automaton.choice_count()],
        }
    }

    /// Guesses the values of a policy; `None` if it misses the target.
    fn evaluate(&self, policy: &[u32], reward: &Reward, accuracy: Accuracy<'_>) -> Option<Vec<f64>> {
        let fixed = self.members.fixed(self.automaton, policy, reward).ok()?;
        if !fixed.bottoms().is_empty() {
            return None;
        }
        let all: Vec<u32> = (0..self.members.states.len() as u32).collect();
        let mut local = vec![0.0; all.len() + 1];
        fixed.total(&all, 0.0, &mut local, accuracy);
        let mut values = vec![0.0; self.automaton.states()];
        for (state, value) in self.members.states.iter().zip(local) {
            values[*state as usize] = value;
        }
        Some(values)
    }

    /// Guesses the greatest values of a reward, and a policy for them.
    fn iterate(&self, reward: &Reward, accuracy: Accuracy<'_>) -> Option<(Vec<f64>, Vec<u32>)> {
        let mut policy = self.policy.clone();
        let mut values = self.evaluate(&policy, reward, accuracy)?;
        for _ in 0..200 {
            let mut better = policy.clone();
            for state in self.members.states.iter().copied() {
                let of = |choice: u32| {
                    let gained = self.automaton.gained(reward, state as usize, choice as usize);
                    self.automaton.drift(state as usize, choice as usize, gained, &values)
                };
                let (now, error) = of(policy[state as usize]);
                let mut best = now + 2.0 * error + 1e-12 * now.abs();
                for choice in self.choices(state) {
                    let (gained, error) = of(choice);
                    if gained - error > best {
                        (best, better[state as usize]) = (gained, choice);
                    }
                }
            }
            if better == policy || accuracy.is_stopped() {
                break;
            }
            // Rounding may make a policy look better that goes round and round.
            let Some(next) = self.evaluate(&better, reward, accuracy) else { break };
            (policy, values) = (better, next);
        }
        Some((values, policy))
    }

    /// What a choice gains on the values, compared with the rate of leaving, and what rounding may have done.
    fn advance(&self, state: u32, choice: u32, values: &[f64]) -> (f64, f64) {
        let gained = self.automaton.gained(self.reward, state as usize, choice as usize);
        let (sum, error) = self.automaton.drift(state as usize, choice as usize, gained, values);
        let exit = self.automaton.exit(state as usize);
        (sum / exit, error / exit)
    }

    /// How much any choice gains at most.
    fn gains(&self, values: &[f64], of: impl Fn(u32) -> bool) -> f64 {
        let mut most = 0.0_f64;
        for state in self.members.states.iter().copied().filter(|state| of(*state)) {
            for choice in self.choices(state) {
                let (sum, error) = self.advance(state, choice, values);
                // What is no number proves nothing, and `max` would not see it.
                most = if (sum + error).is_nan() { f64::INFINITY } else { most.max(sum + error) };
                if most.is_infinite() {
                    return most;
                }
            }
        }
        most
    }

    /// How much the policy loses at most.
    fn loses(&self, values: &[f64]) -> f64 {
        let loss = |state: &u32| {
            let (sum, error) = self.advance(*state, self.policy[*state as usize], values);
            error - sum
        };
        self.members.states.iter().map(loss).fold(0.0, f64::max)
    }

    /// Moves values up until no choice gains on them.
    fn above(&self, values: &[f64], steps: &[f64]) -> Option<Vec<f64>> {
        moved(values, steps, 1.0, |values| self.gains(values, |_| true))
    }

    /// Moves values down until the policy does not lose on them.
    fn below(&self, values: &[f64], steps: &[f64]) -> Option<Vec<f64>> {
        moved(values, steps, -1.0, |values| self.loses(values))
    }

    /// Moves values that are not positive towards 0 by a factor, and those of states in which something is
    /// free up, until no choice gains on them.
    fn scaled(&self, values: &[f64]) -> Vec<f64> {
        let steps = self.free_steps();
        let by =
            2.0 * self.gains(values, |state| steps[state as usize] > 0.0) + f64::EPSILON * largest(values);
        let mut factor = 1e-14;
        while factor < 1.0 {
            let moved = |(value, steps): (&f64, &f64)| value * (1.0 - factor) + by * steps;
            let moved: Vec<f64> = values.iter().zip(&steps).map(moved).collect();
            if self.gains(&moved, |_| true) == 0.0 {
                return moved;
            }
            factor *= 2.0;
        }
        // Nothing is lost at least: values are losses here.
        vec![0.0; values.len()]
    }

    /// Estimates the expected length of the longest sequence of steps that cost nothing, over all schedulers.
    fn free_steps(&self) -> Vec<f64> {
        let automaton = self.automaton;
        let mut steps = vec![0.0; automaton.states()];
        let is_free =
            |state: u32, choice: u32| automaton.gained(self.reward, state as usize, choice as usize) == 0.0;
        for _ in 0..10_000 {
            let mut change = 0.0_f64;
            for state in self.members.states.iter().rev().copied() {
                let exit = automaton.exit(state as usize);
                let after = |choice: u32| {
                    let row = automaton.row(choice as usize);
                    1.0 + row.map(|(to, weight)| weight / exit * steps[to as usize]).sum::<f64>()
                };
                let free = self.choices(state).filter(|choice| is_free(state, *choice));
                let most = free.map(after).fold(0.0, f64::max);
                change = change.max(if most > 0.0 { (most - steps[state as usize]) / most } else { 0.0 });
                steps[state as usize] = most;
            }
            if change < 1e-3 {
                break;
            }
        }
        steps
    }
}

/// Collapses the end components before a target in which nothing costs anything: what happens in them makes
/// no difference to a total. Returns the automaton, its reward and the new number of each state; `None` if
/// there are no such components.
fn without_free_cycles(
    automaton: &Automaton,
    reward: &Reward,
    target: impl Fn(u32) -> bool,
) -> Option<(Automaton, Reward, Vec<u32>)> {
    let is_free = |state: usize, choice: usize| automaton.gained(reward, state, choice) == 0.0;
    let reached = reachable(automaton);
    let allowed = |state: usize| reached[state] && !target(state as u32);
    let mut parts = end_components_by(automaton, allowed, is_free);
    // A state in which nothing happens any more is no cycle.
    parts.retain(|part| part.states.len() > 1 || !automaton.targets(part.choices[0] as usize).is_empty());
    if parts.is_empty() {
        return None;
    }
    let mut number = vec![OUTSIDE; automaton.states()];
    for (part, component) in (0..).zip(&parts) {
        for state in &component.states {
            number[*state as usize] = part;
        }
    }
    let others = number.iter_mut().filter(|number| **number == OUTSIDE);
    for (next, number) in (parts.len() as u32..).zip(others) {
        *number = next;
    }
    let mut builder = automaton::Builder::default();
    builder.rounded_as(automaton);
    let mut collapsed = Reward::default();
    let row = |choice: usize| automaton.row(choice).map(|(to, weight)| (number[to as usize], weight));
    for part in &parts {
        let states = part.states.iter().map(|state| *state as usize);
        let leaving: Vec<usize> = states
            .flat_map(|state| automaton.choices(state))
            .filter(|choice| part.choices.binary_search(&(*choice as u32)).is_err())
            .collect();
        if leaving.is_empty() {
            builder.waiting([]);
            collapsed.impulses.push(0.0);
        } else {
            // Only decisions have choices that leave: one that waits has no other.
            builder.deciding();
            for choice in leaving {
                builder.choice(row(choice));
                collapsed.impulses.push(reward.impulses[choice]);
            }
        }
        collapsed.rates.push(0.0);
    }
    for state in (0..automaton.states()).filter(|state| number[*state] >= parts.len() as u32) {
        if automaton.waits(state) {
            builder.waiting(row(automaton.choices(state).start));
        } else {
            builder.deciding();
            for choice in automaton.choices(state) {
                builder.choice(row(choice));
            }
        }
        collapsed.impulses.extend(automaton.choices(state).map(|choice| reward.impulses[choice]));
        collapsed.rates.push(reward.rates[state]);
    }
    let initial = number[automaton.initial() as usize];
    Some((builder.build(initial).ok()?, collapsed, number))
}

/// Moves values by as few steps as it takes for nothing to be violated.
fn moved(values: &[f64], steps: &[f64], sign: f64, violation: impl Fn(&[f64]) -> f64) -> Option<Vec<f64>> {
    let mut by = violation(values);
    if by == 0.0 {
        return Some(values.to_vec());
    }
    // Less would not change the largest values.
    let least = f64::EPSILON * largest(values) + f64::MIN_POSITIVE;
    for _ in 0..60 {
        let moved: Vec<f64> =
            values.iter().zip(steps).map(|(value, steps)| value + sign * by * steps).collect();
        if violation(&moved) == 0.0 {
            return Some(moved);
        }
        by = 2.0 * by + least;
    }
    None
}

/// Returns how far from 0 values are at most.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| most.max(value.abs()))
}

/// The states that are reached by allowed choices before the target, in ascending order.
fn reached(automaton: &Automaton, allowed: &[bool], target: impl Fn(u32) -> bool) -> Vec<u32> {
    let initial = automaton.initial();
    let mut seen = vec![OUTSIDE; automaton.states()];
    let mut open = Vec::new();
    if !target(initial) {
        open.push(initial);
        seen[initial as usize] = 0;
    }
    let mut found = Vec::new();
    while let Some(state) = open.pop() {
        found.push(state);
        for choice in automaton.choices(state as usize).filter(|choice| allowed[*choice]) {
            for to in automaton.targets(choice) {
                if !target(*to) && std::mem::replace(&mut seen[*to as usize], 0) == OUTSIDE {
                    open.push(*to);
                }
            }
        }
    }
    found.sort_unstable();
    found
}
