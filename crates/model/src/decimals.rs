//! Decimals of certified numbers: no digit is shown that is not certain, and bounds are rounded outwards.
//!
//! What is rounded to one side is taken as its shortest decimal: 0.1 is a tenth. Bounds are made so that
//! their shortest decimals are bounds, by [`told_below`] and [`told_above`], or by those of a
//! [`Number`](crate::Number), which knows whether it is a decimal itself.

use std::cmp::Ordering;

/// How many significant digits are shown if nothing else is asked for.
pub const DIGITS: usize = 6;

/// So many digits tell every floating-point number from all others.
pub const MAX_DIGITS: usize = 17;

/// With fewer certain digits than this, a range is shown.
const MIN_CERTAIN: usize = 3;

/// Writes what is known of a number that lies between two others.
///
/// If both ends agree when they are rounded to this many significant digits, these are shown: the number is
/// off by at most half a unit of the last one. Otherwise what is written contains the whole interval: a
/// number and how far it may be off, or a range.
pub fn certain(low: f64, high: f64, digits: usize) -> String {
    let digits = digits.clamp(1, MAX_DIGITS);
    if !(low.is_finite() && high.is_finite()) {
        return match (low.is_finite(), high.is_finite()) {
            (true, false) => format!("at least {}", below(told_below(low), digits)),
            (false, true) => format!("at most {}", above(told_above(high), digits)),
            _ if low > 0.0 => "infinity".to_owned(),
            _ => "not known".to_owned(),
        };
    }
    let agree = |digits: usize| nearest(low, digits) == nearest(high, digits);
    if agree(digits) {
        return nearest(low, digits);
    }
    let (low, high) = (told_below(low), told_above(high));
    // How many digits tell the ends apart, and one more.
    let size = low.abs().max(high.abs());
    let apart = (size / (high - low)).log10().floor().clamp(0.0, 15.0) as usize + 2;
    if apart <= MIN_CERTAIN || low.signum() * high.signum() < 0.0 {
        return format!("{} to {}", below(low, apart), above(high, apart));
    }
    let shown = nearest(f64::midpoint(low, high), apart.min(digits));
    let centre: f64 = shown.parse().unwrap_or(f64::midpoint(low, high));
    let off = (high - centre).max(centre - low) + f64::EPSILON * centre.abs();
    format!("{shown} ± {}", above(off, 2))
}

/// Writes the least and the greatest of some numbers, each of which lies between two others.
///
/// Each is written with the digits that are certain, and rounded outwards if not all of these are; both
/// together as one number, if all numbers in between are the same in so many digits.
pub fn range(least: (f64, f64), greatest: (f64, f64), digits: usize) -> String {
    let digits = digits.clamp(1, MAX_DIGITS);
    let agreed = |(low, high): (f64, f64), fewest: usize| {
        let agree = |digits: &usize| nearest(low, *digits) == nearest(high, *digits);
        (fewest.min(digits)..=digits).rev().find(agree).map(|digits| nearest(low, digits))
    };
    let is_open = !(least.1.is_finite() && (greatest.1.is_finite() || greatest.0 == f64::INFINITY));
    if is_open || agreed((least.0, greatest.1), digits).is_some() {
        return certain(least.0, greatest.1, digits);
    }
    let low = agreed(least, MIN_CERTAIN).unwrap_or_else(|| below(told_below(least.0), digits));
    let high = if greatest.0 == f64::INFINITY {
        "infinity".to_owned()
    } else {
        agreed(greatest, MIN_CERTAIN).unwrap_or_else(|| above(told_above(greatest.1), digits))
    };
    format!("{low} to {high}")
}

/// Writes both ends of a range with this many significant digits, rounded outwards.
pub fn outwards(low: f64, high: f64, digits: usize) -> [String; 2] {
    [below(low, digits), above(high, digits)]
}

/// Writes a part of a whole that lies between two numbers as a percentage with at most one decimal. What is
/// not known that well is a range, rounded outwards; what is more than nothing, or less than all, is not
/// written as nothing or all.
pub fn certain_percent(low: f64, high: f64) -> String {
    if !(low.is_finite() && high.is_finite()) {
        return "not known".to_owned();
    }
    let tenths = |part: f64, up: Option<bool>| hundredfold(part, up);
    let (under, over) = (tenths(low, None), tenths(high, None));
    if under == over {
        return match under.as_str() {
            "0" if low > SURELY => "below 0.1 %".to_owned(),
            "100" if high < 1.0 - SURELY => "above 99.9 %".to_owned(),
            _ => format!("{under} %"),
        };
    }
    format!("{} to {} %", tenths(low, Some(false)), tenths(high, Some(true)))
}

/// What is closer to nothing or to all than this may be just that: bounds are no closer.
const SURELY: f64 = 1e-5;

/// Writes a hundred times a number that is not negative with at most one decimal: the nearest, or rounded up
/// or down.
fn hundredfold(part: f64, up: Option<bool>) -> String {
    let part = part.max(0.0);
    // So many digits stand before the decimal that is kept.
    let (_, exponent) = parts(&format!("{part:e}"));
    let digits = exponent + 2 + 2;
    match up {
        _ if part == 0.0 => "0".to_owned(),
        None => {
            let text = format!("{:.1}", part * 100.0);
            text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
        }
        Some(true) if digits < 1 => "0.1".to_owned(),
        Some(false) if digits < 1 => "0".to_owned(),
        Some(up) => {
            let (digits, exponent) = cut(part, digits as usize, up);
            laid_out(1.0, &digits, exponent + 2)
        }
    }
}

/// Returns a number that is not above another one, and of which the shortest decimal that stands for it is
/// not either: programs that read decimals as they are see a bound, too.
#[must_use]
pub fn told_below(number: f64) -> f64 {
    told(number, Ordering::Greater, f64::next_down)
}

/// Returns a number that is not below another one, and of which the shortest decimal is not either.
#[must_use]
pub fn told_above(number: f64) -> f64 {
    told(number, Ordering::Less, f64::next_up)
}

/// Takes the next number if the shortest decimal of this one lies on the wrong side of it. That of the next
/// one is closer to it than to this one.
fn told(number: f64, wrong: Ordering, next: fn(f64) -> f64) -> f64 {
    if !number.is_finite() || number == 0.0 {
        return number;
    }
    let size = number.abs();
    let (short, place) = parts(&format!("{size:e}"));
    let compared = |exact: &str| {
        let (digits, exponent) = parts(exact);
        place.cmp(&exponent).then_with(|| format!("{short:0<width$}", width = digits.len()).cmp(&digits))
    };
    // A few digits more than a floating-point number has decide, as a rule.
    let order = match compared(&format!("{size:.30e}")) {
        // No floating-point number has more than 767 significant digits.
        Ordering::Equal => compared(&format!("{size:.800e}")),
        order => order,
    };
    let order = if number < 0.0 { order.reverse() } else { order };
    if order == wrong { next(number) } else { number }
}

/// Writes a number rounded to this many significant digits.
fn nearest(number: f64, digits: usize) -> String {
    let text = format!("{:.*e}", digits - 1, number.abs());
    let (digits, exponent) = parts(&text);
    laid_out(number, &digits, exponent)
}

/// Writes a number with this many significant digits that is not above another.
pub fn below(number: f64, digits: usize) -> String {
    directed(number, digits, number < 0.0)
}

/// Writes a number with this many significant digits that is not below another.
pub fn above(number: f64, digits: usize) -> String {
    directed(number, digits, number > 0.0)
}

/// Cuts a number off after some digits, and counts the last one up if it is to be rounded away from 0.
fn directed(number: f64, digits: usize, away: bool) -> String {
    let (kept, exponent) = cut(number, digits.clamp(1, MAX_DIGITS), away);
    laid_out(number, &kept, exponent)
}

/// Returns some digits of a number without its sign, and the exponent of the first one.
fn cut(number: f64, digits: usize, away: bool) -> (String, i32) {
    let (all, exponent) = parts(&format!("{:e}", number.abs()));
    let (kept, rest) = all.split_at(digits.min(all.len()));
    if !away || rest.is_empty() {
        return (kept.to_owned(), exponent);
    }
    let counted = (kept.parse::<u64>().unwrap_or(0) + 1).to_string();
    let carry = i32::from(counted.len() > kept.len());
    (counted, exponent + carry)
}

/// Returns the digits of a number in exponential form, and the exponent of the first one.
fn parts(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// Writes digits, of which the first has this exponent, without rows of zeros.
fn laid_out(number: f64, digits: &str, exponent: i32) -> String {
    let digits = digits.trim_end_matches('0');
    let sign = if number < 0.0 { "-" } else { "" };
    if digits.is_empty() {
        return "0".to_owned();
    }
    if !(-5..15).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{sign}{first}{point}{rest}e{exponent}");
    }
    if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        return format!("{sign}0.{zeros}{digits}");
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{sign}{digits:0<whole$}");
    }
    let (before, after) = digits.split_at(whole);
    format!("{sign}{before}.{after}")
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_rational::Ratio;

    use super::{DIGITS, above, below, certain, certain_percent, range, told_above, told_below};

    #[test]
    fn only_certain_digits_are_shown() {
        let cases = [
            (1.0 / 3.0, 1.0 / 3.0 + 1e-15, "0.333333"),
            (0.6 - 1e-16, 0.6 + 2e-16, "0.6"),
            (0.0, 0.0, "0"),
            (453_000.2, 496_000.7, "453000 to 497000"),
            (0.4999, 0.5001, "0.5 ± 0.00011"),
            (0.1249, 0.1252, "0.125 ± 0.00021"),
            (0.25, 0.75, "0.25 to 0.75"),
            (1.999e-9, 2.001e-9, "2e-9 ± 1.1e-12"),
            (-1e-16, 1e-16, "-1e-16 to 1e-16"),
            (0.0, 1e-20, "0 to 1e-20"),
            (6_848.554_761, 6_848.554_769, "6848.55"),
            (1e22, 1e22, "1e22"),
            (3.5, f64::INFINITY, "at least 3.5"),
            (f64::INFINITY, f64::INFINITY, "infinity"),
        ];
        for (low, high, text) in cases {
            assert_eq!(certain(low, high, DIGITS), text, "{low} {high}");
        }
        assert_eq!(certain(1.0 / 3.0, 1.0 / 3.0 + 1e-15, 12), "0.333333333333");
        let third = (1.0 / 3.0 - 1e-9, 1.0 / 3.0 + 1e-9);
        assert_eq!(range(third, (0.999_999_9, 1.000_000_1), DIGITS), "0.333333 to 1");
        assert_eq!(range((0.332, 0.334), (0.5, 0.600_000_1), DIGITS), "0.332 to 0.600001");
        assert_eq!(range((0.999_999_1, 1.000_000_1), (4.0, 4.000_001), DIGITS), "1 to 4");
        assert_eq!(range(third, third, DIGITS), "0.333333");
        assert_eq!(range((2.5, 2.5), (f64::INFINITY, f64::INFINITY), DIGITS), "2.5 to infinity");
        assert_eq!(range((2.5, 2.5), (3.5, f64::INFINITY), DIGITS), "at least 2.5");
        assert_eq!(certain(0.1, 0.1, 17), "0.10000000000000001");
    }

    /// What is written contains the interval, whatever it is.
    #[test]
    fn decimals_lie_outside() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..20_000 {
            let low = (random() - 0.3) * 10.0_f64.powf(random() * 40.0 - 20.0);
            let high = low + low.abs() * 10.0_f64.powf(-random() * 17.0);
            for digits in [2, 6, 12] {
                let (under, over) = (below(low, digits), above(high, digits));
                assert!(under.parse::<f64>().unwrap() <= low && over.parse::<f64>().unwrap() >= high);
                let text = certain(low, high, digits);
                let number = |text: &str| text.parse::<f64>().unwrap();
                let (from, to) = if let Some((from, to)) = text.split_once(" to ") {
                    (number(from), number(to))
                } else if let Some((middle, off)) = text.split_once(" ± ") {
                    (number(middle) - number(off), number(middle) + number(off))
                } else {
                    // Half a unit of the last digit.
                    let middle = number(&text);
                    let half =
                        0.500_001 * 10.0_f64.powi(middle.abs().log10().floor() as i32 + 1 - digits as i32);
                    (middle - half, middle + half)
                };
                assert!(from <= low && high <= to, "{low} {high} {digits}: {text}");
            }
        }
    }

    #[test]
    fn percentages_hide_nothing() {
        let cases = [
            (0.124, 0.1241, "12.4 %"),
            (0.5, 0.5, "50 %"),
            (0.0, 0.0, "0 %"),
            (1.0 - 1e-9, 1.0, "100 %"),
            (0.000_2, 0.000_3, "below 0.1 %"),
            (0.999_7, 0.999_8, "above 99.9 %"),
            (0.0, 0.000_1, "0 %"),
            (0.0, 0.01, "0 to 1 %"),
            (0.123_41, 0.2, "12.3 to 20 %"),
            (0.123_41, 0.999_91, "12.3 to 100 %"),
            (0.000_01, 0.002_22, "0 to 0.3 %"),
        ];
        for (low, high, text) in cases {
            assert_eq!(certain_percent(low, high), text, "{low} {high}");
        }
    }

    /// A decimal that programs read lies on the right side, compared exactly.
    #[test]
    fn told_decimals_lie_outside() {
        assert_eq!(told_above(0.6).to_bits(), 0.6_f64.to_bits());
        assert_eq!(told_above(0.1).to_bits(), 0.1_f64.next_up().to_bits());
        assert_eq!((told_below(0.1), told_below(-0.6)), (0.1, -0.6));
        assert_eq!((told_below(0.25), told_above(0.25), told_above(1e22)), (0.25, 0.25, 1e22));
        assert!(told_below(f64::INFINITY).is_infinite() && told_above(5e-324) >= 5e-324);
        let exact = |text: &str| -> Ratio<BigInt> {
            let (mantissa, exponent) = text.split_once('e').unwrap();
            let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            let digits: BigInt = format!("{whole}{part}").parse().unwrap();
            let exponent = exponent.parse::<i32>().unwrap() - part.len() as i32;
            let ten = Ratio::from(BigInt::from(10));
            Ratio::from(digits) * ten.pow(exponent)
        };
        let mut random = narrows_graph::Random::new(7);
        let mut moved = 0;
        for _ in 0..2_000 {
            let number = (random.fraction() - 0.5) * 10.0_f64.powi(random.below(60) as i32 - 30);
            let truth = exact(&format!("{number:.800e}"));
            let (low, high) = (told_below(number), told_above(number));
            assert!(exact(&format!("{low:e}")) <= truth && truth <= exact(&format!("{high:e}")), "{number}");
            assert!(low >= number.next_down() && high <= number.next_up());
            moved += usize::from(low < number) + usize::from(high > number);
        }
        assert!(moved > 1_000, "{moved}");
    }
}
