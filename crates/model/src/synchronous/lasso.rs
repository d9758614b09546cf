//! What a formula about runs says of one run, word for word: the reference for engines.

use super::evaluate::{Evaluation, Moment};
use super::formula::Linear;
use super::reference::Reference;
use super::run::Run;
use super::system::ExprId;

/// Returns whether the last of the formulas holds at the start of an endless run; `None` if the run has an
/// end.
///
/// Formulas about the past tell rounds of a cycle apart, but no more often than they have operators: so the
/// cycle is written out that many times before it is taken to repeat.
pub fn holds_on(formulas: &[Linear], reference: &Reference<'_>, run: &Run) -> Option<bool> {
    let start = run.cycle.filter(|start| *start < run.states.len())?;
    let places: Vec<usize> = (0..run.states.len()).collect();
    let mut evaluation = Evaluation::new(reference.system());
    holds_where(formulas, &places, start, &mut |expression, now, next| {
        let moment = Moment { current: &run.states[now], next: &run.states[next] };
        evaluation.is_true(expression, moment)
    })
}

/// As [`holds_on`], of a run given by the numbers of its states and where its cycle starts; `is_so` tells
/// what an expression is in a state, or in the step to the next one.
pub(super) fn holds_where(
    formulas: &[Linear],
    states: &[usize],
    start: usize,
    is_so: &mut dyn FnMut(ExprId, usize, usize) -> bool,
) -> Option<bool> {
    let pasts = formulas.iter().filter(|formula| matches!(formula, Linear::Previous(_) | Linear::Since(..)));
    let rounds = pasts.count() + 1;
    let mut word = states.to_vec();
    for _ in 1..rounds {
        word.extend(&states[start..]);
    }
    let back = word.len() - (states.len() - start);
    let mut table: Vec<Vec<bool>> = Vec::new();
    for formula in formulas {
        let of = |id: &super::LinearId| &table[id.0 as usize];
        let row = match formula {
            Linear::Atom(expression) => {
                let after = word[1..].iter().chain([&word[back]]);
                word.iter().zip(after).map(|(now, next)| is_so(*expression, *now, *next)).collect()
            }
            Linear::Not(one) => of(one).iter().map(|value| !value).collect(),
            Linear::And(left, right) => of(left).iter().zip(of(right)).map(|(a, b)| *a && *b).collect(),
            Linear::Or(left, right) => of(left).iter().zip(of(right)).map(|(a, b)| *a || *b).collect(),
            Linear::Next(one) => {
                let row = of(one);
                (0..row.len()).map(|at| row.get(at + 1).copied().unwrap_or(row[back])).collect()
            }
            Linear::Until(left, right) => until(of(left), of(right), back),
            Linear::Previous(one) => {
                let row = of(one);
                (0..row.len()).map(|at| at > 0 && row[at - 1]).collect()
            }
            Linear::Since(left, right) => {
                let mut holds = false;
                let both = of(left).iter().zip(of(right));
                both.map(|(left, right)| {
                    holds = *right || (*left && holds);
                    holds
                })
                .collect()
            }
        };
        table.push(row);
    }
    table.last().and_then(|row| row.first().copied())
}

fn until(left: &[bool], right: &[bool], back: usize) -> Vec<bool> {
    let mut row = vec![false; left.len()];
    // Twice: what is found at the start of the cycle is what comes after its end.
    for _ in 0..2 {
        let mut after = row[back];
        for at in (0..row.len()).rev() {
            row[at] = right[at] || (left[at] && after);
            after = row[at];
        }
    }
    row
}
