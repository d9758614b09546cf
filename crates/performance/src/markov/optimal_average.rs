//! The range of long-run averages over all schedulers.
//!
//! In each maximal end component the optimal gain is the same from every state. Policy iteration finds a
//! policy and values h (Howard 1960; for communicating components: Haviv and Puterman 1991). Whatever h is,
//! the optimal gain is at most the greatest `r + Q·h` over tangible states, if no choice in a vanishing state
//! gains on h; it is at least the least one, if in every vanishing state some choice does not lose on h. Both
//! are checked with bounds on rounding. Then each end component is collapsed to one state that may stop with
//! its gain or go on, and what remains is a stochastic shortest path problem.

use narrows_graph::components::OUTSIDE;

use super::automaton::{self, Automaton, Reward};
use super::chain::ChainError;
use super::end_components::{EndComponent, Zeno, end_components, end_components_by, find_zeno, reachable};
use super::interval::{Accuracy, Interval};
use super::optimal_total::{Aim, Optimum, largest};
use super::policy::Members;

/// Bounds the greatest or the least average of a reward in the long run.
pub fn average(
    automaton: &Automaton,
    reward: &Reward,
    aim: Aim,
    accuracy: Accuracy<'_>,
) -> Result<Interval, Zeno> {
    if let Some(zeno) = find_zeno(automaton) {
        return Err(zeno);
    }
    let is_gain = reward.rates.iter().chain(&reward.impulses).all(|gained| *gained >= 0.0);
    if is_gain && aim == Aim::Least && is_avoidable(automaton, reward) {
        return Ok(Interval::exactly(0.0));
    }
    // The least is the greatest of what is lost.
    let signed = aim.signed(reward);
    let found = aim.unsigned(greatest(automaton, &signed, accuracy));
    Ok(if is_gain { Interval { low: found.low.max(0.0), high: found.high } } else { found })
}

fn greatest(automaton: &Automaton, reward: &Reward, accuracy: Accuracy<'_>) -> Interval {
    let reached = reachable(automaton);
    let finer = Accuracy { relative: accuracy.relative / 2.0, ..accuracy };
    let parts = end_components(automaton, |state| reached[state]);
    let steps = decisions(automaton, &reached);
    let gains: Vec<Interval> =
        parts.iter().map(|part| Component::new(automaton, part, reward, &steps).gain(finer)).collect();
    if let ([only], true) = (gains.as_slice(), reaches_all(&parts, &reached)) {
        return *only;
    }
    quotient(automaton, &reached, &parts, &gains, finer).unwrap_or(Interval::ANY)
}

/// Returns whether some scheduler comes, for sure, to where it can stay for ever without any reward.
fn is_avoidable(automaton: &Automaton, reward: &Reward) -> bool {
    let mut alive = reachable(automaton);
    let is_free = |state: usize, choice: usize| automaton.gained(reward, state, choice) == 0.0;
    let free: Vec<u32> = end_components_by(automaton, |state| alive[state], is_free)
        .into_iter()
        .flat_map(|part| part.states)
        .collect();
    let mut before: Vec<Vec<(u32, u32)>> = vec![Vec::new(); automaton.states()];
    for state in (0..automaton.states()).filter(|state| alive[*state]) {
        for choice in automaton.choices(state) {
            for target in automaton.targets(choice) {
                before[*target as usize].push((state as u32, choice as u32));
            }
        }
    }
    // From fewer and fewer states, by choices that lose none of them (de Alfaro 1997).
    loop {
        let mut found = vec![false; automaton.states()];
        for state in &free {
            found[*state as usize] = true;
        }
        let mut open = free.clone();
        while let Some(state) = open.pop() {
            for (from, choice) in &before[state as usize] {
                let stays = |to: &u32| alive[*to as usize];
                let is_new = alive[*from as usize] && !found[*from as usize];
                if is_new && automaton.targets(*choice as usize).iter().all(stays) {
                    found[*from as usize] = true;
                    open.push(*from);
                }
            }
        }
        if found == alive {
            return alive[automaton.initial() as usize];
        }
        alive = found;
    }
}

/// Returns whether a single end component contains all reachable states.
fn reaches_all(parts: &[EndComponent], reached: &[bool]) -> bool {
    parts.len() == 1 && parts[0].states.len() == reached.iter().filter(|reached| **reached).count()
}

/// Estimates the expected length of the longest sequence of vanishing states, over all schedulers.
pub(super) fn decisions(automaton: &Automaton, reached: &[bool]) -> Vec<f64> {
    let mut steps = vec![0.0; automaton.states()];
    let order: Vec<usize> =
        (0..automaton.states()).rev().filter(|state| reached[*state] && !automaton.waits(*state)).collect();
    for _ in 0..10_000 {
        let mut change = 0.0_f64;
        for state in &order {
            let of =
                |choice: usize| automaton.row(choice).map(|(to, weight)| weight * steps[to as usize]).sum();
            let most = automaton.choices(*state).map(of).fold(0.0, f64::max) + 1.0;
            change = change.max((most - steps[*state]) / most);
            steps[*state] = most;
        }
        if change < 1e-3 {
            break;
        }
    }
    steps
}

/// One end component while its optimal gain is computed.
struct Component<'a> {
    automaton: &'a Automaton,
    inside: &'a EndComponent,
    reward: &'a Reward,
    steps: &'a [f64],
    members: Members,
    /// A choice for each state of the automaton.
    policy: Vec<u32>,
}

impl<'a> Component<'a> {
    fn new(
        automaton: &'a Automaton,
        inside: &'a EndComponent,
        reward: &'a Reward,
        steps: &'a [f64],
    ) -> Component<'a> {
        let mut policy = vec![OUTSIDE; automaton.states()];
        let members = Members { states: inside.states.clone() };
        let mut found = Component { automaton, inside, reward, steps, members, policy: Vec::new() };
        for state in &inside.states {
            policy[*state as usize] = found.choices(*state).next().unwrap_or(OUTSIDE);
        }
        found.policy = policy;
        found
    }

    /// The choices that keep a state inside.
    fn choices(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        let range = self.automaton.choices(state as usize);
        let first = self.inside.choices.partition_point(|choice| (*choice as usize) < range.start);
        self.inside.choices[first..].iter().copied().take_while(move |choice| (*choice as usize) < range.end)
    }

    fn gain(mut self, accuracy: Accuracy<'_>) -> Interval {
        let mut values = vec![0.0; self.automaton.states()];
        let mut best = Interval::ANY;
        for _ in 0..100 {
            let Ok(gain) = self.evaluate(&mut values, accuracy) else { return best };
            best = best.and(self.bounds(&values));
            if !gain.is_finite() || accuracy.is_met(best) || accuracy.is_stopped() || !self.improve(&values) {
                return best;
            }
        }
        best
    }

    /// Estimates gain and bias of the policy. If the policy has several bottom components, the best one is
    /// kept, and all other states are redirected to it.
    fn evaluate(&mut self, values: &mut [f64], accuracy: Accuracy<'_>) -> Result<f64, ChainError> {
        let mut fixed = self.members.fixed(self.automaton, &self.policy, self.reward)?;
        let mut local: Vec<f64> = self.inside.states.iter().map(|state| values[*state as usize]).collect();
        local.push(0.0);
        let bottoms = fixed.bottoms();
        let mut gains = bottoms.iter().map(|bottom| fixed.gain(bottom, &mut local, accuracy));
        let Some(first) = gains.next() else { return Ok(f64::NAN) };
        let (chosen, gain) = gains
            .enumerate()
            .fold((0, first), |best, (place, gain)| if gain > best.1 { (place + 1, gain) } else { best });
        if bottoms.len() > 1 {
            self.turn_towards(&bottoms[chosen]);
            fixed = self.members.fixed(self.automaton, &self.policy, self.reward)?;
        }
        let mut inside = vec![false; self.inside.states.len()];
        for place in &bottoms[chosen] {
            inside[*place as usize] = true;
        }
        let passing: Vec<u32> =
            (0..self.inside.states.len() as u32).filter(|place| !inside[*place as usize]).collect();
        if !passing.is_empty() {
            fixed.total(&passing, gain, &mut local, accuracy);
        }
        for (state, value) in self.inside.states.iter().zip(&local) {
            values[*state as usize] = *value;
        }
        Ok(gain)
    }

    /// Changes the policy outside some states so that they are reached.
    fn turn_towards(&mut self, goal: &[u32]) {
        let size = self.inside.states.len();
        let mut before: Vec<Vec<(u32, u32)>> = vec![Vec::new(); size];
        for (place, state) in (0..).zip(&self.inside.states) {
            for choice in self.choices(*state) {
                for target in self.automaton.targets(choice as usize) {
                    before[self.members.place(*target) as usize].push((place, choice));
                }
            }
        }
        let mut seen = vec![false; size];
        let mut open: std::collections::VecDeque<u32> = goal.iter().copied().collect();
        for place in goal {
            seen[*place as usize] = true;
        }
        while let Some(place) = open.pop_front() {
            for (other, choice) in &before[place as usize] {
                if !std::mem::replace(&mut seen[*other as usize], true) {
                    self.policy[self.inside.states[*other as usize] as usize] = *choice;
                    open.push_back(*other);
                }
            }
        }
    }

    /// Returns the advantage of a choice over the values, and a bound on its rounding error.
    fn advance(&self, state: u32, choice: u32, values: &[f64]) -> (f64, f64) {
        let gained = self.automaton.gained(self.reward, state as usize, choice as usize);
        self.automaton.drift(state as usize, choice as usize, gained, values)
    }

    /// Improves the policy; returns whether it changed.
    fn improve(&mut self, values: &[f64]) -> bool {
        let mut better = Vec::new();
        for state in self.inside.states.iter().filter(|state| !self.automaton.waits(**state as usize)) {
            let current = self.policy[*state as usize];
            let (now, error) = self.advance(*state, current, values);
            let mut best = (now + 2.0 * error + 1e-12 * now.abs(), current);
            for choice in self.choices(*state) {
                let (gained, error) = self.advance(*state, choice, values);
                if gained - error > best.0 {
                    best = (gained, choice);
                }
            }
            if best.1 != current {
                better.push((*state, best.1));
            }
        }
        for (state, choice) in &better {
            self.policy[*state as usize] = *choice;
        }
        !better.is_empty()
    }

    fn deciding(&self) -> impl Iterator<Item = u32> + '_ {
        self.inside.states.iter().copied().filter(|state| !self.automaton.waits(*state as usize))
    }

    /// Bounds the optimal gain: from above by values on which no choice gains, from below by values on which
    /// some choice does not lose.
    fn bounds(&self, values: &[f64]) -> Interval {
        if self.inside.states.iter().any(|state| !values[*state as usize].is_finite()) {
            return Interval::ANY;
        }
        // How much the best decision gains, at most and at least.
        let most = |state: u32, values: &[f64]| {
            let sums = self.choices(state).map(|choice| self.advance(state, choice, values));
            sums.fold(f64::NEG_INFINITY, |most, (sum, error)| most.max(sum + error))
        };
        let least = |state: u32, values: &[f64]| {
            let sums = self.choices(state).map(|choice| self.advance(state, choice, values));
            sums.fold(f64::NEG_INFINITY, |most, (sum, error)| most.max(sum - error))
        };
        let waiting = |values: &[f64]| {
            let mut found = Interval { low: f64::INFINITY, high: f64::NEG_INFINITY };
            for state in self.inside.states.iter().filter(|state| self.automaton.waits(**state as usize)) {
                let choice = self.automaton.choices(*state as usize).start as u32;
                let (sum, error) = self.advance(*state, choice, values);
                found.low = found.low.min(sum - error);
                found.high = found.high.max(sum + error);
            }
            if found.low.is_finite() && found.high.is_finite() { found } else { Interval::ANY }
        };
        let above = self.shifted(values, 1.0, |values| {
            self.deciding().map(|state| most(state, values)).fold(0.0, f64::max)
        });
        let below = self.shifted(values, -1.0, |values| {
            self.deciding().map(|state| -least(state, values)).fold(0.0, f64::max)
        });
        Interval {
            low: below.map_or(f64::NEG_INFINITY, |values| waiting(&values).low),
            high: above.map_or(f64::INFINITY, |values| waiting(&values).high),
        }
    }

    /// Moves the values of decisions up or down, by as much as needed for nothing to be violated.
    fn shifted(&self, values: &[f64], sign: f64, violation: impl Fn(&[f64]) -> f64) -> Option<Vec<f64>> {
        let mut moved = values.to_vec();
        let mut by = violation(values);
        // Less would not change the largest values.
        let least = f64::EPSILON * largest(values) + f64::MIN_POSITIVE;
        for _ in 0..60 {
            if by == 0.0 && violation(&moved) == 0.0 {
                return Some(moved);
            }
            for state in self.deciding() {
                moved[state as usize] = values[state as usize] + sign * by * self.steps[state as usize];
            }
            if violation(&moved) == 0.0 {
                return Some(moved);
            }
            by = 2.0 * by + least;
        }
        None
    }
}

/// Collapses each end component to one state that may stop with its gain, and solves the remaining shortest
/// path problem.
fn quotient(
    automaton: &Automaton,
    reached: &[bool],
    parts: &[EndComponent],
    gains: &[Interval],
    accuracy: Accuracy<'_>,
) -> Result<Interval, ChainError> {
    let mut number = vec![OUTSIDE; automaton.states()];
    for (part, component) in (0..).zip(parts) {
        for state in &component.states {
            number[*state as usize] = part;
        }
    }
    let outside: Vec<usize> =
        (0..automaton.states()).filter(|state| reached[*state] && number[*state] == OUTSIDE).collect();
    for (place, state) in (parts.len() as u32..).zip(&outside) {
        number[*state] = place;
    }
    let stop = (parts.len() + outside.len()) as u32;
    let mut builder = automaton::Builder::default();
    builder.rounded_as(automaton);
    let (mut low, mut high) = (Vec::new(), Vec::new());
    let add = |builder: &mut automaton::Builder, state: usize, choice: usize| {
        let exit = automaton.exit(state);
        builder.choice(automaton.row(choice).map(|(to, weight)| (number[to as usize], weight / exit)));
    };
    for (part, gain) in parts.iter().zip(gains) {
        builder.deciding();
        builder.choice([(stop, 1.0)]);
        low.push(gain.low);
        high.push(gain.high);
        for state in &part.states {
            for choice in automaton.choices(*state as usize) {
                if part.choices.binary_search(&(choice as u32)).is_err() {
                    add(&mut builder, *state as usize, choice);
                }
            }
        }
        low.resize(builder.choices(), 0.0);
        high.resize(builder.choices(), 0.0);
    }
    for state in &outside {
        builder.deciding();
        for choice in automaton.choices(*state) {
            add(&mut builder, *state, choice);
        }
    }
    builder.waiting([]);
    let automaton = builder.build(number[automaton.initial() as usize])?;
    let solve = |mut impulses: Vec<f64>| {
        impulses.resize(automaton.choice_count(), 0.0);
        let reward = Reward { rates: vec![0.0; automaton.states()], impulses };
        Optimum::new(&automaton, &reward, |state| state == stop).solve(accuracy)
    };
    if low.iter().chain(&high).any(|gain| !gain.is_finite()) {
        return Ok(Interval::ANY);
    }
    Ok(Interval { low: solve(low).low, high: solve(high).high })
}
