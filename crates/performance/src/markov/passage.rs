//! First-passage times: from when one predicate becomes true until another does.
//!
//! In a chain, passages begin again and again, and their starts are weighted by how often each is entered in
//! the long run. So the mean is a quotient of two long-run averages: each transition into a start counts 1 in
//! the denominator, and the expected time from there in the numerator. Both have bounds, and so has the mean.
//!
//! In an automaton, a scheduler decides which starts are entered and how often. Here it also chooses the
//! start, among all that can be entered infinitely often: for whatever mixture of them a scheduler realises,
//! and whatever its memory, the mean lies within the range over these.
//!
//! Between events, passages begin and end on entering states, not while they hold ([`Visits`]): each visit to
//! a state counts, also one that comes from the state itself. Visits per time are the stationary probability
//! of the state times its exit rate.

use narrows_graph::components::find_in_lists;

use super::automaton::{Automaton, Reward};
use super::chain::Chain;
use super::end_components::{Zeno, end_components, find_zeno, reachable};
use super::interval::{Accuracy, Interval};
use super::long_run::{Parts, long_run, mean_time};
use super::optimal_total::{Aim, until_over};
use super::total_reward::times;

/// Bounds the mean time from when a state is entered in which `from` begins to hold, until one is reached in
/// which `to` does. If `from` does not begin to hold again and again, ways begin where the chain does; `None`
/// if it does not hold there.
pub fn passage(
    chain: &Chain,
    from: impl Fn(u32) -> bool,
    to: impl Fn(u32) -> bool,
    accuracy: Accuracy<'_>,
) -> Option<Interval> {
    let mut is_start = vec![false; chain.states()];
    let mut entered = vec![0.0; chain.states()];
    let mut terms = 0;
    for state in Parts::new(chain).bottoms.into_iter().flatten().filter(|state| !from(*state)) {
        for (target, rate) in chain.row(state as usize).filter(|(target, _)| from(*target)) {
            is_start[target as usize] = true;
            entered[state as usize] += rate;
        }
        terms = terms.max(chain.targets(state as usize).len());
    }
    let starts: Vec<u32> = (0..).zip(&is_start).filter(|(_, is)| **is).map(|(state, _)| state).collect();
    if starts.is_empty() {
        let holds_first = chain.initial().iter().all(|(state, _)| from(*state));
        return holds_first.then(|| mean_time(chain, to, accuracy));
    }
    let successors = |state: usize| if to(state as u32) { &[][..] } else { chain.targets(state) };
    let found = find_in_lists(chain.states(), starts.iter().copied(), successors);
    let bottom = found.bottoms(successors);
    let is_lost = |state: &u32| bottom[found.of[*state as usize] as usize] && !to(*state);
    if found.finished.iter().any(is_lost) {
        return Some(Interval::INFINITE);
    }
    let mut members = found.finished;
    members.retain(|state| !to(*state));
    members.sort_unstable();
    let finer = Accuracy { relative: accuracy.relative / 4.0, ..accuracy };
    let mut values = vec![0.0; chain.states()];
    let (low, high) =
        if members.is_empty() { (1.0, 1.0) } else { times(chain, &members, &mut values, finer) };
    let taken = |state: usize| {
        let transitions = chain.row(state).filter(|(target, _)| entered[state] > 0.0 && from(*target));
        transitions.map(|(target, rate)| rate * values[target as usize]).sum()
    };
    let taken: Vec<f64> = (0..chain.states()).map(taken).collect();
    let averages = long_run(chain, &[taken, entered], finer);
    Some(quotient((low, high), averages[0], averages[1], terms + chain.roundings()))
}

/// Bounds the least or the greatest mean time, over all schedulers and all starts that can be entered again
/// and again, until `to` holds. As [`passage`] otherwise; both predicates are about states that wait.
pub fn passage_over(
    automaton: &Automaton,
    from: impl Fn(u32) -> bool + Copy,
    to: impl Fn(u32) -> bool + Copy,
    aim: Aim,
    accuracy: Accuracy<'_>,
) -> Result<Option<Interval>, Zeno> {
    if let Some(zeno) = find_zeno(automaton) {
        return Err(zeno);
    }
    let target =
        |state: u32| (state as usize) < automaton.states() && automaton.waits(state as usize) && to(state);
    let starts = starts(automaton, from);
    if starts.is_empty() {
        let mut first = landing(automaton, [automaton.initial()], |_| true);
        first.sort_unstable();
        if !first.iter().all(|state| from(*state)) {
            return Ok(None);
        }
        return until_over(automaton, &Reward::time(automaton), target, aim, accuracy).map(Some);
    }
    let begun = automaton.beginning_with(&starts);
    until_over(&begun, &Reward::time(&begun), target, aim, accuracy).map(Some)
}

/// What is known of each visit to a tangible state, by state.
#[derive(Clone, Copy, Debug)]
pub struct Visits<'v> {
    /// How many passages begin with a visit.
    pub begun: &'v [f64],
    /// How many passages take no time: they begin and end on the way to the state.
    pub at_once: &'v [f64],
    /// 1 if passages that have begun before end with a visit, 0 if not.
    pub ends: &'v [f64],
    /// How many visits end per time: the exit rate, with transitions to the state itself.
    pub exits: &'v [f64],
}

/// Bounds the mean time of passages that begin and end with visits. If none begins again and again, they
/// begin where the chain does; `None` if they don't.
pub fn between_visits(chain: &Chain, visits: Visits<'_>, accuracy: Accuracy) -> Option<Interval> {
    let ends = |state: u32| visits.ends[state as usize] > 0.5;
    let mut often = vec![0.0; chain.states()];
    let mut starts: Vec<u32> = Vec::new();
    for state in Parts::new(chain).bottoms.into_iter().flatten() {
        let place = state as usize;
        often[place] = visits.exits[place] * (visits.begun[place] + visits.at_once[place]);
        starts.extend((visits.exits[place] * visits.begun[place] > 0.0).then_some(state));
    }
    if often.iter().all(|often| *often <= 0.0) {
        let mut first = chain.initial().iter().map(|(state, _)| *state);
        let begins = first.all(|state| visits.begun[state as usize] > 0.0 && !ends(state));
        return begins.then(|| mean_time(chain, ends, accuracy));
    }
    if starts.is_empty() {
        return Some(Interval::exactly(0.0));
    }
    // Where a passage begins, it does not end: it goes on with the next visit.
    let next = starts.iter().flat_map(|state| chain.targets(*state as usize)).copied();
    let roots: Vec<u32> = starts.iter().copied().filter(|state| !ends(*state)).chain(next).collect();
    let successors = |state: usize| if ends(state as u32) { &[][..] } else { chain.targets(state) };
    let found = find_in_lists(chain.states(), roots.iter().copied(), successors);
    let bottom = found.bottoms(successors);
    let is_lost = |state: &u32| bottom[found.of[*state as usize] as usize] && !ends(*state);
    if found.finished.iter().any(is_lost) {
        return Some(Interval::INFINITE);
    }
    let mut members = found.finished;
    members.retain(|state| !ends(*state));
    members.sort_unstable();
    let finer = Accuracy { relative: accuracy.relative / 4.0, ..accuracy };
    let mut values = vec![0.0; chain.states()];
    let (low, high) =
        if members.is_empty() { (1.0, 1.0) } else { times(chain, &members, &mut values, finer) };
    let mut taken = vec![0.0; chain.states()];
    let mut terms = 0;
    for state in starts.iter().map(|state| *state as usize) {
        let (begun, exit) = (visits.begun[state], visits.exits[state]);
        taken[state] = if ends(state as u32) {
            let later: f64 = chain.row(state).map(|(target, rate)| rate * values[target as usize]).sum();
            begun * (1.0 + later)
        } else {
            begun * exit * values[state]
        };
        terms = terms.max(chain.targets(state).len());
    }
    let averages = long_run(chain, &[taken, often], finer);
    // The times may be off by a factor, but not the time until the next visit.
    Some(quotient((low.min(1.0), high.max(1.0)), averages[0], averages[1], terms + chain.roundings()))
}

/// Bounds the least or the greatest mean time of passages that begin and end with visits, over all schedulers
/// and all starts that can be visited again and again. States that are not tangible have no visits.
pub fn between_visits_over(
    automaton: &Automaton,
    visits: Visits<'_>,
    aim: Aim,
    accuracy: Accuracy,
) -> Result<Option<Interval>, Zeno> {
    if let Some(zeno) = find_zeno(automaton) {
        return Err(zeno);
    }
    let target = |state: u32| {
        (state as usize) < automaton.states()
            && automaton.waits(state as usize)
            && visits.ends[state as usize] > 0.5
    };
    let reached = reachable(automaton);
    let again: Vec<u32> =
        end_components(automaton, |state| reached[state]).into_iter().flat_map(|part| part.states).collect();
    let again = again
        .into_iter()
        .filter(|state| automaton.waits(*state as usize) && visits.exits[*state as usize] > 0.0);
    let (mut starts, mut is_at_once) = (Vec::new(), false);
    for state in again {
        is_at_once |= visits.at_once[state as usize] > 0.0;
        starts.extend((visits.begun[state as usize] > 0.0).then_some(state));
    }
    starts.sort_unstable();
    let nothing = is_at_once.then(|| Interval::exactly(0.0));
    if starts.is_empty() {
        return Ok(nothing);
    }
    let begun = automaton.beginning_after(&starts);
    let found = until_over(&begun, &Reward::time(&begun), target, aim, accuracy)?;
    Ok(Some(if aim == Aim::Least { nothing.unwrap_or(found) } else { found }))
}

/// Bounds a quotient of averages whose numerator is off by a factor between two, and both by some roundings.
pub(super) fn quotient(
    (low, high): (f64, f64),
    time: Interval,
    often: Interval,
    roundings: usize,
) -> Interval {
    // Sums of positive numbers, and what is done with them below.
    let slack = (roundings + 16) as f64 * f64::EPSILON;
    let least = time.low.max(0.0) / (high * often.high) * (1.0 - 2.0 * slack);
    let greatest = time.high / (low * often.low.max(0.0)) * (1.0 + 2.0 * slack);
    let known = Interval { low: 0.0, high: f64::INFINITY };
    known.and(Interval {
        low: if least.is_nan() { 0.0 } else { least },
        high: if greatest.is_nan() { f64::INFINITY } else { greatest },
    })
}

/// The states that wait in which something begins to hold, again and again under some scheduler, in ascending
/// order.
fn starts(automaton: &Automaton, from: impl Fn(u32) -> bool + Copy) -> Vec<u32> {
    let reached = reachable(automaton);
    let mut all = Vec::new();
    for part in end_components(automaton, |state| reached[state]) {
        let before = part.states.iter().copied();
        let before = before.filter(|state| automaton.waits(*state as usize) && !from(*state));
        let next = before.flat_map(|state| automaton.successors(state as usize)).copied();
        let kept = |choice: usize| part.choices.binary_search(&(choice as u32)).is_ok();
        all.extend(landing(automaton, next, kept).into_iter().filter(|state| from(*state)));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// The states that wait which some states lead to without time passing, by choices that may be taken.
fn landing(
    automaton: &Automaton,
    states: impl IntoIterator<Item = u32>,
    kept: impl Fn(usize) -> bool,
) -> Vec<u32> {
    let mut seen = vec![false; automaton.states()];
    let mut open: Vec<u32> = states.into_iter().collect();
    let mut found = Vec::new();
    while let Some(state) = open.pop() {
        if std::mem::replace(&mut seen[state as usize], true) {
            continue;
        }
        if automaton.waits(state as usize) {
            found.push(state);
            continue;
        }
        for choice in automaton.choices(state as usize).filter(|choice| kept(*choice)) {
            open.extend(automaton.targets(choice));
        }
    }
    found
}
