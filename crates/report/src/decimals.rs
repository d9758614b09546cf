//! Decimals of certified numbers: no digit is shown that is not certain, and bounds are rounded outwards.

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
            (true, false) => format!("at least {}", below(low, digits)),
            (false, true) => format!("at most {}", above(high, digits)),
            _ if low > 0.0 => "infinity".to_owned(),
            _ => "not known".to_owned(),
        };
    }
    let agree = |digits: usize| nearest(low, digits) == nearest(high, digits);
    if agree(digits) {
        return nearest(low, digits);
    }
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

/// Writes a number rounded to this many significant digits.
fn nearest(number: f64, digits: usize) -> String {
    let text = format!("{:.*e}", digits - 1, number.abs());
    let (digits, exponent) = parts(&text);
    laid_out(number, &digits, exponent)
}

/// Writes a number with this many significant digits that is not above another.
pub(crate) fn below(number: f64, digits: usize) -> String {
    directed(number, digits, number < 0.0)
}

/// Writes a number with this many significant digits that is not below another.
pub(crate) fn above(number: f64, digits: usize) -> String {
    directed(number, digits, number > 0.0)
}

/// Cuts a number off after some digits, and counts the last one up if it is to be rounded away from 0.
fn directed(number: f64, digits: usize, away: bool) -> String {
    // No floating-point number has more than 767 significant digits.
    let (all, exponent) = parts(&format!("{:.800e}", number.abs()));
    let (kept, rest) = all.split_at(digits.clamp(1, MAX_DIGITS));
    if !away || rest.bytes().all(|digit| digit == b'0') {
        return laid_out(number, kept, exponent);
    }
    let counted = (kept.parse::<u64>().unwrap_or(0) + 1).to_string();
    let carry = i32::from(counted.len() > kept.len());
    laid_out(number, &counted, exponent + carry)
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
    use super::{DIGITS, above, below, certain};

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
}
