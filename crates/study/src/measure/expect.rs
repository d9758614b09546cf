//! Holds what came out against what was expected.

use narrows_model::decimals::{DIGITS, outwards};
use narrows_model::{Figure, FigureResult, Limit, Number, Published};
use narrows_performance::{Time, as_f64};

use crate::{Ask, Expect, Study, View};

/// The widest interval, relatively, that says enough to meet an expectation.
const WIDEST: f64 = 1e-3;

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
    // What a simulation has not seen, or does not take, is not decided.
    let is_unseen = figure.view == View::Simulated.name() && matches!(figure.result, FigureResult::None(_));
    if is_unseen || matches!(figure.result, FigureResult::Undecided(_)) {
        figure.notes.push(format!("Expected: {}.", describe(expect)));
        return;
    }
    if let FigureResult::Estimated { low, high, decides, .. } = &mut figure.result {
        let met = if *decides { is_met_by_estimate(*low, *high, expect) } else { None };
        *decides = met.is_some();
        match met {
            Some(met) => figure.expected = Some((describe(expect), met)),
            None => {
                figure
                    .notes
                    .push(format!("Expected: {}. An estimate does not decide that.", describe(expect)));
            }
        }
        return;
    }
    let is_met = is_met(figure, expect);
    if let FigureResult::Value { low, high, exact: false } = figure.result
        && figure.view == View::Timed.name()
        && !is_met
        && may_be_met(low, high, expect)
    {
        // Best and worst cases lie somewhere within these bounds.
        let [low, high] = outwards(low.told_below(), high.told_above(), DIGITS);
        let unit = if figure.unit.is_empty() { String::new() } else { format!(" {}", figure.unit) };
        figure.notes.insert(0, format!("It is known to be within {low} and {high}{unit}."));
        figure.notes.push(format!("Expected: {}. These bounds do not decide that.", describe(expect)));
        figure.result = FigureResult::Undecided(Limit::Time);
        return;
    }
    figure.expected = Some((describe(expect), is_met));
}

/// Returns whether what is expected may still come out, given bounds.
fn may_be_met(low: Number, high: Number, expect: &Expect) -> bool {
    match expect {
        Expect::Number(least, most) => low.to_f64() <= as_f64(*most) && as_f64(*least) <= high.to_f64(),
        Expect::From(least) => as_f64(*least) <= high.to_f64(),
        Expect::Infinity => high == Number::Infinity,
        Expect::Word(_) => false,
    }
}

/// Returns whether a confidence interval decides that what is expected came out: it is inside the range that
/// is expected, or beside it. That a single number came out can't be decided, only that another did.
fn is_met_by_estimate(low: f64, high: f64, expect: &Expect) -> Option<bool> {
    let (least, most) = match expect {
        Expect::Number(least, most) => (as_f64(*least), as_f64(*most)),
        Expect::From(least) => (as_f64(*least), f64::INFINITY),
        Expect::Infinity | Expect::Word(_) => return None,
    };
    if high < least || low > most {
        return Some(false);
    }
    (least < most && least <= low && high <= most).then_some(true)
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
                Number::Float(number) => is_near(*number, *bound, above, is_point),
                Number::Infinity => false,
            };
            fits(low, least, true) && fits(high, most, false)
        }
        (FigureResult::Word(word), Expect::Word(expected)) => names(word) == names(expected),
        _ => false,
    }
}

/// Returns whether the end of an interval of floating-point numbers fits a bound. A decimal stands for all
/// numbers that are rounded to it, so that an expectation with many digits is held to all of them. Where one
/// number is expected, the interval contains it and says enough.
fn is_near(number: f64, bound: Time, above: bool, is_point: bool) -> bool {
    let digits = decimals(*bound.denom()).map(|count| 0.5 * 10f64.powi(-count));
    let bound = as_f64(bound);
    let widest = bound.abs() * WIDEST;
    // A fraction is meant exactly, as far as solvers go.
    let rounded = digits.unwrap_or(widest * WIDEST).min(widest) + bound.abs() * f64::EPSILON;
    let (low, high) = match (above, is_point) {
        (true, true) => (bound - widest, bound + rounded),
        (true, false) => (bound - rounded, f64::INFINITY),
        (false, true) => (bound - rounded, bound + widest),
        (false, false) => (f64::NEG_INFINITY, bound + rounded),
    };
    (low..=high).contains(&number)
}

/// Returns how many digits after the point a fraction with this denominator has, if it is a decimal at all.
fn decimals(denominator: i128) -> Option<i32> {
    let mut power = 1i128;
    (0..30).find(|_| {
        let is_whole = power % denominator == 0;
        power *= 10;
        is_whole
    })
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
        Expect::From(low) => format!("{} to infinity", as_decimal(low)),
        Expect::Number(low, high) if low == high => as_decimal(low),
        Expect::Number(low, high) => format!("{} to {}", as_decimal(low), as_decimal(high)),
    }
}

/// Writes a number as a decimal if it is one, and else as a fraction.
pub(crate) fn as_decimal(number: &Time) -> String {
    match decimals(*number.denom()) {
        Some(count) if count <= 9 => format!("{:.*}", count as usize, as_f64(*number)),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Figure, FigureResult, Limit, Number};
    use narrows_performance::Time;

    use super::judge;
    use crate::Expect;

    /// Judges bounds of 1/10 and 1/5 in the timed view.
    fn judged(least: i128, most: i128, exact: bool) -> Figure {
        let [low, high] = [10, 5].map(|over| Number::Ratio(1, over));
        let result = FigureResult::Value { low, high, exact };
        let mut figure = Figure::new("throughput", "read".to_owned(), "timed", result);
        judge(&mut figure, Some(&Expect::Number(Time::new(least, 100), Time::new(most, 100))));
        figure
    }

    #[test]
    fn bounds_decide_or_do_not() {
        let met = |figure: &Figure| figure.expected.as_ref().map(|(_, met)| *met);
        assert_eq!(met(&judged(5, 30, false)), Some(true));
        assert_eq!(met(&judged(30, 40, false)), Some(false));
        let open = judged(15, 30, false);
        assert_eq!((met(&open), open.limit()), (None, Some(Limit::Time)));
        assert_eq!(open.notes[0], "It is known to be within 0.1 and 0.2.");
        // What is exact is as expected, or is not.
        assert_eq!(met(&judged(15, 30, true)), Some(false));
    }
}
