//! Holds what came out against what was expected.

use narrows_model::{Figure, FigureResult, Number};
use narrows_performance::{Time, as_f64};

use crate::Expect;

/// Results that are not exact meet an expectation if they are this near, relatively.
const NEAR: f64 = 1e-3;

/// Says of a figure whether it is what was expected; of one that is undecided, nothing is known.
pub(super) fn judge(figure: &mut Figure, expect: Option<&Expect>) {
    let Some(expect) = expect else { return };
    if let FigureResult::Undecided(_) = figure.result {
        figure.notes.push(format!("Expected: {}.", describe(expect)));
        return;
    }
    let met = match (&figure.result, expect) {
        (FigureResult::Value { low, high, .. }, Expect::Infinity) => {
            (*low, *high) == (Number::Infinity, Number::Infinity)
        }
        (FigureResult::Value { low, high, exact }, Expect::Number(least, most)) => {
            let is_point = least == most;
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
    };
    figure.expected = Some((describe(expect), met));
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
        Expect::Number(low, high) if low == high => low.to_string(),
        Expect::Number(low, high) => format!("{low} to {high}"),
    }
}
