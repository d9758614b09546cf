//! The way to a target: how likely it is, how long it takes, and what is gained on it.
//!
//! The target is one absorbing state, so that questions become those that have answers already: to be there
//! in the long run is to reach it ever, and to be there at a time is to have reached it before. Totals are
//! those until it is reached.

use super::automaton::{Automaton, Reward};
use super::chain::Chain;
use super::end_components::{Zeno, find_zeno};
use super::interval::{Accuracy, Interval, OverSchedulers};
use super::long_run::{long_run, until};
use super::lumping::lump;
use super::optimal_average::average;
use super::optimal_total::{Aim, until_over};
use super::optimal_transient::reward_at_over;
use super::transient::reward_at;
use super::vanishing::{Vanished, uniform};
use crate::fine::Fine;

/// What is asked about the way to a target.
#[derive(Clone, Copy, Debug)]
pub enum Reach<'r> {
    /// How likely it is ever reached.
    Ever,
    /// How likely it is reached before a time.
    Before(Fine),
    /// What is gained until it is reached, which is infinite if it may be missed. Nothing is lost on the way.
    Total(&'r Reward),
}

/// Bounds what is asked about the way to an absorbing state.
///
/// # Errors
///
/// If choices may follow each other for ever in no time.
pub fn reach(
    automaton: &Automaton,
    target: u32,
    what: Reach<'_>,
    accuracy: Accuracy<'_>,
) -> Result<OverSchedulers, Zeno> {
    if let Some(zeno) = find_zeno(automaton) {
        return Err(zeno);
    }
    let even = even(automaton, target, what, accuracy)?;
    let has_choices = (0..automaton.states()).any(|state| automaton.choices(state).len() > 1);
    if !has_choices {
        return Ok(OverSchedulers { even, open: None });
    }
    let over = |aim: Aim| -> Result<Interval, Zeno> {
        let mut there = Reward::none(automaton);
        there.rates[target as usize] = 1.0;
        match what {
            Reach::Ever => Ok(average(automaton, &there, aim, accuracy)?.and(LIKELY)),
            Reach::Before(time) => {
                // What is never reached is not reached before either.
                let ever = average(automaton, &there, aim, accuracy)?.high;
                // It allows for a time that is rounded.
                let found = reward_at_over(automaton, &there.rates, time.near(), aim, accuracy)?;
                Ok(found.and(Interval { low: 0.0, high: ever.clamp(0.0, 1.0) }))
            }
            Reach::Total(reward) => {
                let found = until_over(automaton, reward, |state| state == target, aim, accuracy)?;
                Ok(rounded(found, longest(automaton)))
            }
        }
    };
    Ok(OverSchedulers { even, open: Some([over(Aim::Least)?, over(Aim::Greatest)?]) })
}

/// Bounds how likely the last state of a chain, which is absorbing, is reached before a time.
pub fn reach_before(chain: &Chain, time: f64, accuracy: Accuracy<'_>) -> Interval {
    let last = chain.states() - 1;
    let there: Vec<f64> = (0..=last).map(|state| if state == last { 1.0 } else { 0.0 }).collect();
    let found = match lump(chain, &[&there]) {
        Some(lumped) => reward_at(&lumped.chain, &lumped.reward(&there), time, accuracy),
        None => reward_at(chain, &there, time, accuracy),
    };
    found.and(LIKELY)
}

const LIKELY: Interval = Interval { low: 0.0, high: 1.0 };

fn even(
    automaton: &Automaton,
    target: u32,
    what: Reach<'_>,
    accuracy: Accuracy<'_>,
) -> Result<Interval, Zeno> {
    let rewards = match what {
        Reach::Total(reward) => vec![reward.clone()],
        _ => Vec::new(),
    };
    let Vanished { chain, states, mut rewards, before } = uniform(automaton, &rewards)?;
    let Ok(place) = states.binary_search(&target) else {
        return Ok(if rewards.is_empty() { Interval::exactly(0.0) } else { Interval::INFINITE });
    };
    let mut there = vec![0.0; chain.states()];
    there[place] = 1.0;
    rewards.insert(0, there);
    let lumped = lump(&chain, &rewards.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let (chain, rewards): (Chain, Vec<Vec<f64>>) = match lumped {
        Some(lumped) => {
            let rewards = rewards.iter().map(|reward| lumped.reward(reward)).collect();
            (lumped.chain, rewards)
        }
        None => (chain, rewards),
    };
    let is_there = |state: u32| rewards[0][state as usize] > 0.0;
    Ok(match what {
        Reach::Ever => long_run(&chain, &rewards[..1], accuracy)[0].and(LIKELY),
        Reach::Before(time) => {
            let (time, factor) = time.split_near();
            reward_at(&chain.scaled(factor), &rewards[0], time, accuracy).and(LIKELY)
        }
        Reach::Total(_) => {
            let found = until(&chain, &rewards[1], is_there, accuracy);
            let at_once = before.first().copied().unwrap_or(0.0);
            let found = if at_once > 0.0 { found.plus(Interval::exactly(at_once)) } else { found };
            rounded(found, longest(automaton))
        }
    })
}

/// Widens what is gained: rewards are sums of products, each with some roundings.
fn rounded(found: Interval, terms: usize) -> Interval {
    let off = (terms + 16) as f64 * f64::EPSILON;
    let off = if found.high.is_finite() { off * found.high.abs() } else { 0.0 };
    if off > 0.0 { Interval { low: (found.low - off).max(0.0), high: found.high + off } } else { found }
}

/// Returns how many transitions a choice has at most.
fn longest(automaton: &Automaton) -> usize {
    (0..automaton.choice_count()).map(|choice| automaton.targets(choice).len()).max().unwrap_or(0)
}
