//! Holds what came out against what was expected.

use narrows_model::{Figure, FigureResult, Number, Published};
use narrows_performance::{Time, as_f64};

use crate::{Ask, Expect, Study};

/// Results that are not exact meet an expectation if they are this near, relatively.
const NEAR: f64 = 1e-3;

/// Says of a figure whether it is what was expected and what others found, and where it is shown.
pub(crate) fn finish(figure: &mut Figure, ask: &Ask, study: &Study) {
    figure.cell.clone_from(&ask.cell);
    figure.is_drawn = ask.draw;
    if let Some(reference) = &ask.reference {
        let (source, found) = (study.reference.clone(), describe(reference));
        figure.reference = Some(Published { source, found, agrees: is_met(figure, reference) });
    }
    judge(figure, ask.expect.as_ref());
}

/// Says of a figure whether it is what was expected; of one that is undecided, nothing is known.
pub(super) fn judge(figure: &mut Figure, expect: Option<&Expect>) {
    let Some(expect) = expect else { return };
    if let FigureResult::Undecided(_) = figure.result {
        figure.notes.push(format!("Expected: {}.", describe(expect)));
        return;
    }
    figure.expected = Some((describe(expect), is_met(figure, expect)));
}

/// Returns whether something came out.
fn is_met(figure: &Figure, expect: &Expect) -> bool {
    // The least and the most are two results, each of which is known exactly.
    let is_both = ["delay", "count"].contains(&figure.kind);
    match (&figure.result, expect) {
        (FigureResult::Value { low, high, .. }, Expect::Infinity) => {
            (*low, *high) == (Number::Infinity, Number::Infinity)
        }
        (FigureResult::Value { low, high, .. }, Expect::From(least)) => {
            *low == Number::Ratio(*least.numer(), *least.denom()) && *high == Number::Infinity
        }
        (FigureResult::Value { low, high, exact }, Expect::Number(least, most)) => {
            let is_point = least == most || is_both;
            let fits = |number: &Number, bound: &Time, above: bool| match number {
                Number::Ratio(numerator, denominator) => {
                    let number = Time::new(*numerator, *denominator);
                    if is_point && *exact {
                        number == *bound
                    } else if above {
                        number >= *bound
                    } else {
                        number <= *bound
                    }
                }
                Number::Float(number) => {
                    let bound = as_f64(*bound);
                    let slack = bound.abs() * NEAR;
                    if above { *number >= bound - slack } else { *number <= bound + slack }
                }
                Number::Infinity => false,
            };
            fits(low, least, true) && fits(high, most, false)
        }
        (FigureResult::Word(word), Expect::Word(expected)) => names(word) == names(expected),
        _ => false,
    }
}

/// Returns the names in a word such as `fill + drain`: their order does not matter.
fn names(word: &str) -> Vec<&str> {
    let mut names: Vec<&str> = word.split('+').map(str::trim).collect();
    names.sort_unstable();
    names
}

fn describe(expect: &Expect) -> String {
    match expect {
        Expect::Infinity => "infinity".to_owned(),
        Expect::Word(word) => word.clone(),
        Expect::From(low) => format!("{} to infinity", written(low)),
        Expect::Number(low, high) if low == high => written(low),
        Expect::Number(low, high) => format!("{} to {}", written(low), written(high)),
    }
}

/// Writes a number with decimals if a few say it exactly, and else as a fraction.
fn written(number: &Time) -> String {
    let is_short = !number.is_integer() && 10_000 % number.denom() == 0;
    if is_short { as_f64(*number).to_string() } else { number.to_string() }
}
