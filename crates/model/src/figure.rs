//! Numbers that come out, as plain data.

use crate::decimals::{told_above, told_below};
use crate::{Limit, Refusal, Trace};

/// What was measured.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The kind of question, as in the JSON output.
    pub kind: &'static str,
    /// What was asked, in the user's own words.
    pub name: String,
    /// How time was taken: `untimed`, `timed`, `stochastic` or `simulated`.
    pub view: &'static str,
    /// What came out.
    pub result: FigureResult,
    /// The unit; empty for plain numbers.
    pub unit: String,
    /// Runs that show it, each with what it shows.
    pub witnesses: Vec<(String, Trace)>,
    /// What else is worth knowing, as full sentences.
    pub notes: Vec<String>,
    /// What was expected, and whether it came out; `None` if nothing was.
    pub expected: Option<(String, bool)>,
    /// What others found.
    pub reference: Option<Published>,
    /// The table in which it is shown, the row and the column.
    pub cell: Option<[String; 3]>,
    /// Whether the last run that shows it is drawn beside it.
    pub is_drawn: bool,
    /// The distribution of a time, if it is one.
    pub curve: Vec<CurvePoint>,
    /// If it is a range over all schedulers, the least and the greatest, each between two numbers.
    pub range: Option<[(f64, f64); 2]>,
}

/// How likely it is that something takes no longer than a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The time.
    pub time: f64,
    /// The probability is not below this.
    pub low: f64,
    /// The probability is not above this.
    pub high: f64,
}

/// What others found, such as in a paper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Who.
    pub source: String,
    /// What.
    pub found: String,
    /// Whether it came out here too.
    pub agrees: bool,
}

/// How large a view is.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewSize {
    /// The view's name.
    pub view: &'static str,
    /// What its places are called, states as a rule.
    pub unit: &'static str,
    /// How many of them it has, in digits: there may be more than any number holds.
    pub states: String,
    /// How many transitions, if they were counted.
    pub transitions: Option<u64>,
    /// How many states were left after minimisation, at most, if there were fewer for every question.
    pub minimised: Option<u64>,
    /// How many seconds it took to build it.
    pub seconds: f64,
}

impl Figure {
    /// Makes a figure with nothing beside what came out.
    pub fn new(kind: &'static str, name: String, view: &'static str, result: FigureResult) -> Figure {
        Figure {
            kind,
            name,
            view,
            result,
            unit: String::new(),
            witnesses: Vec::new(),
            notes: Vec::new(),
            expected: None,
            reference: None,
            cell: None,
            is_drawn: false,
            curve: Vec::new(),
            range: None,
        }
    }
}

impl From<Refusal> for FigureResult {
    fn from(refusal: Refusal) -> Self {
        FigureResult::None(refusal.reason)
    }
}

/// What came out of a measurement.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FigureResult {
    /// A value, or two between which it lies.
    Value {
        /// The least that it can be.
        low: Number,
        /// The most that it can be.
        high: Number,
        /// Whether it is known exactly.
        exact: bool,
    },
    /// What a simulation came to: nothing is proved.
    Estimated {
        /// The best guess.
        value: f64,
        /// The lower end of the confidence interval.
        low: f64,
        /// The upper end.
        high: f64,
        /// Whether the interval decides about what was expected, if something was.
        decides: bool,
    },
    /// One of a few answers, such as `holds`.
    Word(String),
    /// A limit was hit.
    Undecided(Limit),
    /// There is no such number: why, as a full sentence.
    None(String),
}

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A fraction in lowest terms, the second part above 0.
    Ratio(i128, i128),
    /// Something near it.
    Float(f64),
    /// More than any number.
    Infinity,
}

impl Number {
    /// Returns a floating-point number that is not above it, and close to it.
    pub fn below(self) -> f64 {
        match self.excess() {
            Some(excess) if excess > 0.0 => self.to_f64().next_down(),
            Some(_) => self.to_f64(),
            None => self.within().0,
        }
    }

    /// Returns a floating-point number that is not below it, and close to it.
    pub fn above(self) -> f64 {
        match self.excess() {
            Some(excess) if excess < 0.0 => self.to_f64().next_up(),
            Some(_) => self.to_f64(),
            None => self.within().1,
        }
    }

    /// Returns a floating-point number for programs to read, close to it: neither the number nor its decimal
    /// is above it.
    pub fn told_below(self) -> f64 {
        if self.is_decimal() { self.to_f64() } else { told_below(self.below()) }
    }

    /// Returns a floating-point number for programs to read, close to it: neither the number nor its decimal
    /// is below it.
    pub fn told_above(self) -> f64 {
        if self.is_decimal() { self.to_f64() } else { told_above(self.above()) }
    }

    /// Returns whether it is just what the shortest decimal of the nearest floating-point number says.
    fn is_decimal(self) -> bool {
        let Number::Ratio(above, below) = self else { return false };
        let text = format!("{:e}", self.to_f64());
        let Some((mantissa, exponent)) = text.split_once('e') else { return false };
        let places = mantissa.split_once('.').map_or(0, |(_, part)| part.len() as i32);
        let digits = mantissa.replace('.', "").parse::<i128>().ok();
        let power = exponent.parse::<i32>().ok().map(|exponent| exponent - places);
        let Some((digits, power)) = digits.zip(power) else { return false };
        let Some(scale) = 10_i128.checked_pow(power.unsigned_abs()) else { return false };
        let (left, right) = if power < 0 {
            (digits.checked_mul(below), above.checked_mul(scale))
        } else {
            (digits.checked_mul(scale).and_then(|left| left.checked_mul(below)), Some(above))
        };
        left.is_some() && left == right
    }

    /// Returns a number with the sign of what the nearest floating-point number is too large by; `None` of
    /// fractions that are too long for that.
    fn excess(self) -> Option<f64> {
        match self {
            Number::Ratio(above, below) => {
                let is_short = |part: i128| part.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS;
                // Rounded once, a difference has the sign of the exact one.
                (is_short(above) && is_short(below))
                    .then(|| self.to_f64().mul_add(below as f64, -(above as f64)))
            }
            Number::Float(_) | Number::Infinity => Some(0.0),
        }
    }

    /// Returns two floating-point numbers between which it lies: each of three roundings is paid for.
    fn within(self) -> (f64, f64) {
        let near = self.to_f64();
        let off = near.abs() * 4.0 * f64::EPSILON;
        (near - off, near + off)
    }

    /// Returns it as a floating-point number, the nearest there is.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Ratio(above, below) => above as f64 / below as f64,
            Number::Float(number) => number,
            Number::Infinity => f64::INFINITY,
        }
    }
}

impl Figure {
    /// Returns whether something else came out than was expected, or a formula fails of which nothing is
    /// said.
    pub fn fails(&self) -> bool {
        match (&self.expected, &self.result) {
            (Some((_, is_met)), _) => !is_met,
            (None, FigureResult::Word(word)) => word == "fails",
            _ => false,
        }
    }

    /// Returns whether there is no answer, or none that decides about what was expected.
    pub fn is_open(&self) -> bool {
        matches!(
            self.result,
            FigureResult::Undecided(_)
                | FigureResult::None(_)
                | FigureResult::Estimated { decides: false, .. }
        )
    }

    /// Returns the limit that left it open, if one did.
    pub fn limit(&self) -> Option<Limit> {
        match self.result {
            FigureResult::Undecided(limit) => Some(limit),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_rational::Ratio;

    use super::Number;

    #[test]
    fn fractions_lie_between_their_neighbours() {
        for (above, below) in [(1, 3), (2, 3), (1, 10), (-1, 3), (7, 2), (1, 248), (12_345, 6789), (0, 1)] {
            let number = Number::Ratio(above, below);
            let (low, high) = (number.below(), number.above());
            let is_exact = (above * 1024) % below == 0;
            let next = if is_exact { low } else { low.next_up() };
            assert_eq!(next.to_bits(), high.to_bits(), "{above}/{below}");
            // In units of 2⁻⁷⁰, exactly.
            let unit = |end: f64| (end * 2.0_f64.powi(70)) as i128;
            assert!(unit(low) * below <= above << 70 && above << 70 <= unit(high) * below);
        }
        assert!(Number::Infinity.above().is_infinite());
    }

    #[test]
    fn long_fractions_lie_between_their_bounds() {
        // Neither part is a floating-point number, and the first one is rounded up or down.
        for (above, below) in [
            ((1_i128 << 70) + 1, 1),
            ((1_i128 << 70) - 1, 1),
            (1, (1_i128 << 80) + 1),
            (i128::MAX, (1_i128 << 100) - 3),
        ] {
            let number = Number::Ratio(above, below);
            // In units of 2⁻²⁰⁰.
            let exact = |end: f64| {
                let (mantissa, exponent) = (end.to_bits() & ((1 << 52) - 1) | 1 << 52, end.to_bits() >> 52);
                Ratio::new(
                    BigInt::from(mantissa) << (exponent as i32 - 1075 + 200) as usize,
                    BigInt::from(1) << 200,
                )
            };
            let truth = Ratio::new(BigInt::from(above), BigInt::from(below));
            assert!(exact(number.below()) < truth && truth < exact(number.above()), "{above}/{below}");
            assert!(number.above() - number.below() <= 16.0 * f64::EPSILON * number.above());
        }
    }

    #[test]
    fn decimals_are_told_as_they_are() {
        for (above, below, decimal) in [(1, 10, 0.1), (3, 5, 0.6), (-1, 8, -0.125), (7, 1, 7.0), (0, 1, 0.0)]
        {
            let number = Number::Ratio(above, below);
            assert_eq!((number.told_below(), number.told_above()), (decimal, decimal));
        }
        let third = Number::Ratio(1, 3);
        assert_eq!(
            format!("{} {}", third.told_below(), third.told_above()),
            "0.3333333333333333 0.3333333333333334"
        );
        assert_eq!(Number::Float(0.1).told_above().to_bits(), 0.1_f64.next_up().to_bits());
        assert!(Number::Infinity.told_below().is_infinite());
    }
}
