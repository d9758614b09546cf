//! Discrete time: how likely a target is reached within so many steps.
//!
//! Tangible states take one step each; their rates are probabilities, and add up to 1. Decisions take none.
//! Backwards from the target, each step is one sum for each state. Rounding adds at most its share in each
//! step, and probabilities make it no larger.

use super::automaton::Automaton;
use super::end_components::{Zeno, find_zeno, reachable};
use super::interval::{Accuracy, Interval, OverSchedulers, rounding};
use super::optimal_total::Aim;

/// Bounds how likely an absorbing state is reached within so many steps.
///
/// # Errors
///
/// If choices may follow each other for ever in no time.
pub fn before_step(
    automaton: &Automaton,
    target: u32,
    steps: u64,
    accuracy: Accuracy<'_>,
) -> Result<OverSchedulers, Zeno> {
    if let Some(zeno) = find_zeno(automaton) {
        return Err(zeno);
    }
    let order = decisions_last_first(automaton);
    let by = |how: Resolve| recursion(automaton, target, steps, how, &order, accuracy);
    let has_choices = (0..automaton.states()).any(|state| automaton.choices(state).len() > 1);
    let open = || [by(Resolve::By(Aim::Least)), by(Resolve::By(Aim::Greatest))];
    Ok(OverSchedulers { even: by(Resolve::Even), open: has_choices.then(open) })
}

/// How choices are made.
#[derive(Clone, Copy)]
enum Resolve {
    By(Aim),
    Even,
}

/// Returns the decisions, each after those it leads to.
fn decisions_last_first(automaton: &Automaton) -> Vec<u32> {
    let reached = reachable(automaton);
    let decides = |state: usize| reached[state] && !automaton.waits(state);
    let mut done = vec![false; automaton.states()];
    let mut order = Vec::new();
    for root in (0..automaton.states()).filter(|state| decides(*state)) {
        let mut open = vec![(root, false)];
        while let Some((state, is_over)) = open.pop() {
            if is_over {
                order.push(state as u32);
            } else if !std::mem::replace(&mut done[state], true) {
                open.push((state, true));
                let next = automaton.successors(state).iter().map(|to| *to as usize);
                open.extend(next.filter(|to| decides(*to) && !done[*to]).map(|to| (to, false)));
            }
        }
    }
    order
}

fn recursion(
    automaton: &Automaton,
    target: u32,
    steps: u64,
    how: Resolve,
    order: &[u32],
    accuracy: Accuracy<'_>,
) -> Interval {
    let mean = |choice: usize, values: &[f64]| -> f64 {
        automaton.row(choice).map(|(to, weight)| weight * values[to as usize]).sum()
    };
    let decide = |values: &mut [f64]| {
        for state in order {
            let choices = automaton.choices(*state as usize);
            let (count, all) = (choices.len() as f64, choices.map(|choice| mean(choice, values)));
            values[*state as usize] = match how {
                Resolve::By(Aim::Greatest) => all.fold(0.0, f64::max),
                Resolve::By(Aim::Least) => all.fold(f64::INFINITY, f64::min),
                Resolve::Even => all.sum::<f64>() / count,
            };
        }
    };
    let mut values = vec![0.0; automaton.states()];
    values[target as usize] = 1.0;
    decide(&mut values);
    let waiting: Vec<usize> = (0..automaton.states())
        .filter(|state| {
            automaton.waits(*state) && !automaton.targets(automaton.choices(*state).start).is_empty()
        })
        .collect();
    let mut done = 0;
    let mut next = values.clone();
    while done < steps {
        let mut change = 0.0_f64;
        for state in &waiting {
            next[*state] = mean(automaton.choices(*state).start, &values);
            change = change.max((next[*state] - values[*state]).abs());
        }
        decide(&mut next);
        std::mem::swap(&mut values, &mut next);
        done += 1;
        // What does not change any more never will: the next step is computed from the same numbers.
        if change == 0.0 || (done % 1024 == 0 && accuracy.is_stopped()) {
            break;
        }
    }
    let is_cut = done < steps && accuracy.is_stopped();
    let longest =
        (0..automaton.choice_count()).map(|choice| automaton.targets(choice).len()).max().unwrap_or(0);
    let each = rounding(2 * longest + 4, 1.0);
    let off = each * (done as f64 + 1.0) * (1.0 + longest_chain(automaton, order));
    let found = Interval::exactly(values[automaton.initial() as usize]).widened(off);
    let found = if is_cut { Interval { low: found.low, high: 1.0 } } else { found };
    found.and(Interval { low: 0.0, high: 1.0 })
}

/// Returns how many decisions may follow each other, at most.
fn longest_chain(automaton: &Automaton, order: &[u32]) -> f64 {
    let mut depth = vec![0_u32; automaton.states()];
    for state in order {
        let next = automaton.successors(*state as usize).iter().map(|to| depth[*to as usize]).max();
        depth[*state as usize] = next.unwrap_or(0) + 1;
    }
    depth.into_iter().max().map_or(0.0, f64::from)
}
