//! What a formula about runs says of one run, word for word: the reference for engines.

use super::formula::Linear;
use super::reference::Reference;
use super::run::Run;
use super::system::Value;

/// Returns whether the last of the formulas holds at the start of an endless run; `None` if the run has an end.
///
/// Formulas about the past tell rounds of a cycle apart, but no more often than they have operators: so the cycle is
/// written out that many times before it is taken to repeat.
pub fn holds_on(formulas: &[Linear], reference: &Reference<'_>, run: &Run) -> Option<bool> {
    let start = run.cycle.filter(|start| *start < run.states.len())?;
    let pasts = formulas.iter().filter(|formula| matches!(formula, Linear::Previous(_) | Linear::Since(..)));
    let rounds = pasts.count() + 1;
    let mut word: Vec<&[Value]> = run.states.iter().map(Vec::as_slice).collect();
    for _ in 1..rounds {
        word.extend(run.states[start..].iter().map(Vec::as_slice));
    }
    let back = word.len() - (run.states.len() - start);
    let mut table: Vec<Vec<bool>> = Vec::new();
    for formula in formulas {
        let of = |id: &super::LinearId| &table[id.0 as usize];
        let row = match formula {
            Linear::Atom(expression) => {
                word.iter().map(|state| reference.is_true(*expression, state)).collect()
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
