//! Numbers that come out, as plain data.

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
        if self.excess() > 0.0 { self.to_f64().next_down() } else { self.to_f64() }
    }

    /// Returns a floating-point number that is not below it, and close to it.
    pub fn above(self) -> f64 {
        if self.excess() < 0.0 { self.to_f64().next_up() } else { self.to_f64() }
    }

    /// Returns a number with the sign of what the nearest floating-point number is too large by.
    fn excess(self) -> f64 {
        match self {
            // Rounded once, a difference has the sign of the exact one.
            Number::Ratio(above, below) => self.to_f64().mul_add(below as f64, -(above as f64)),
            Number::Float(_) | Number::Infinity => 0.0,
        }
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
}
