//! Intervals, and how much rounding may do to a sum.

use std::fmt;

/// A number that is at least `low` and at most `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The number is not below this.
    pub low: f64,
    /// The number is not above this.
    pub high: f64,
}

/// A number that depends on how choices are resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverSchedulers {
    /// With equally likely choices.
    pub even: Interval,
    /// The least and the greatest over all schedulers, if there are choices.
    pub open: Option<[Interval; 2]>,
}

impl OverSchedulers {
    /// Returns the interval that holds the number whatever the scheduler.
    pub fn span(&self) -> Interval {
        self.open.map_or(self.even, |[least, greatest]| Interval { low: least.low, high: greatest.high })
    }
}

impl Interval {
    /// The interval of all numbers.
    pub const ANY: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// The interval of infinity alone.
    pub const INFINITE: Interval = Interval { low: f64::INFINITY, high: f64::INFINITY };

    /// Makes the interval of one number.
    pub fn exactly(value: f64) -> Interval {
        Interval { low: value, high: value }
    }

    /// Returns whether both ends are the same number.
    #[allow(clippy::float_cmp, reason = "it is about the same number, not about one that is close")]
    pub fn is_exact(&self) -> bool {
        self.low == self.high
    }

    /// Returns a number in the middle.
    pub fn middle(&self) -> f64 {
        if self.is_exact() { self.low } else { f64::midpoint(self.low, self.high) }
    }

    /// Returns how far the ends are apart.
    pub fn width(&self) -> f64 {
        if self.is_exact() { 0.0 } else { self.high - self.low }
    }

    /// Returns whether a number lies in it.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Returns whether it is the number 0, of which products and quotients are not rounded.
    fn is_zero(&self) -> bool {
        self.low == 0.0 && self.high == 0.0
    }

    /// Returns the intersection.
    #[must_use]
    pub fn and(&self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// Returns the sum, rounded outwards.
    #[must_use]
    pub(super) fn plus(&self, other: Interval) -> Interval {
        Interval { low: (self.low + other.low).next_down(), high: (self.high + other.high).next_up() }
    }

    /// Returns the product with a factor that is not negative, rounded outwards.
    #[must_use]
    pub(super) fn times(&self, factor: f64) -> Interval {
        if factor == 0.0 || self.is_zero() {
            return Interval::exactly(0.0);
        }
        if factor.to_bits() == 1.0_f64.to_bits() {
            return *self;
        }
        Interval { low: (self.low * factor).next_down(), high: (self.high * factor).next_up() }
    }

    /// Returns the quotient of two numbers that are not negative, rounded outwards; without an upper bound if
    /// the second may be 0.
    #[must_use]
    pub fn over(&self, other: Interval) -> Interval {
        if self.is_zero() && other.low > 0.0 {
            return Interval::exactly(0.0);
        }
        let high = if other.low > 0.0 { (self.high / other.low).next_up() } else { f64::INFINITY };
        let low = if other.high.is_finite() { (self.low / other.high).next_down().max(0.0) } else { 0.0 };
        Interval { low: if low.is_nan() { 0.0 } else { low }, high }
    }

    /// Returns the interval whose ends may each be off by so many roundings, relatively.
    #[must_use]
    pub(super) fn off_by_roundings(&self, roundings: usize) -> Interval {
        if roundings == 0 {
            return *self;
        }
        let off = |end: f64| end.abs() * roundings as f64 * f64::EPSILON;
        let low = if self.low == 0.0 { 0.0 } else { (self.low - off(self.low)).next_down() };
        let high = if self.high == 0.0 { 0.0 } else { (self.high + off(self.high)).next_up() };
        Interval { low, high }
    }

    /// Returns the interval that is wider by so much at both ends, rounded outwards.
    #[must_use]
    pub(crate) fn widened(&self, by: f64) -> Interval {
        Interval { low: (self.low - by).next_down(), high: (self.high + by).next_up() }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "[{}, {}]", self.low, self.high)
    }
}

/// How close an answer should be, and how much may be done for it.
#[derive(Clone, Copy)]
pub struct Accuracy<'a> {
    /// How wide an interval may be, compared with the number itself.
    pub relative: f64,
    /// How often each state may be visited at most.
    pub sweeps: usize,
    /// Says whether to stop now. What comes out then is right, but may be as wide as can be.
    pub stop: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl Default for Accuracy<'_> {
    fn default() -> Self {
        Accuracy::relative(1e-6)
    }
}

impl fmt::Debug for Accuracy<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Accuracy { relative, sweeps, .. } = self;
        formatter.debug_struct("Accuracy").field("relative", relative).field("sweeps", sweeps).finish()
    }
}

impl Accuracy<'_> {
    /// Returns what is usual for intervals of this width, compared with the number itself.
    pub const fn relative(relative: f64) -> Self {
        Accuracy { relative, sweeps: 100_000, stop: None }
    }

    /// Returns whether no more is to be done.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop())
    }

    /// Values below this count as 0: rounding leaves no digits of them.
    pub(super) const NOTHING: f64 = 1e-300;

    /// Returns whether an interval is as narrow as it should be, however small the number in it is.
    pub fn is_met(&self, interval: Interval) -> bool {
        let size = interval.low.abs().min(interval.high.abs());
        let size = if interval.low < 0.0 && interval.high > 0.0 { 0.0 } else { size };
        let width = interval.width();
        width == 0.0 || (size.is_finite() && width <= (self.relative * size).max(Accuracy::NOTHING))
    }
}

/// Returns whether all sums of some of these numbers, which are above 0, are computed without rounding, in
/// any order: they are multiples of one power of two, and few of them.
pub(crate) fn sums_are_exact(numbers: impl Iterator<Item = f64>) -> bool {
    let (mut grid, mut sum, mut count) = (i32::MAX, 0.0, 0);
    for number in numbers {
        let bits = number.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        let mantissa = if exponent == 0 { bits << 1 } else { bits & ((1 << 52) - 1) | 1 << 52 };
        grid = grid.min(exponent - 1075 + mantissa.trailing_zeros() as i32);
        sum += number;
        count += 1;
    }
    count <= 1 || sum <= 2.0_f64.powi((grid + 53).min(1023))
}

/// Returns whether a sum of two numbers is computed without rounding (Knuth's two-sum).
pub(super) fn adds_exactly(one: f64, other: f64) -> bool {
    let sum = one + other;
    let part = sum - one;
    (one - (sum - part)) + (other - part) == 0.0
}

/// Bounds what rounding does to a sum of so many products, of which `magnitude` is the computed sum of
/// absolute values.
///
/// A sum of n products `q·(x − y)` that is computed in any order differs from the true one by at most
/// γ·Σ|q·(x − y)|, γ = m·u/(1 − m·u), u = 2⁻⁵³, where m ≤ n + 2 counts the roundings that any term goes
/// through. Here u is replaced by 2u: that pays for the denominator, for rounding in the magnitude itself and
/// in what is done with the result. The last term stands for results so small that they lose digits.
pub(super) fn rounding(terms: usize, magnitude: f64) -> f64 {
    (terms + 8) as f64 * (f64::EPSILON * magnitude + f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::{Accuracy, Interval, adds_exactly, sums_are_exact};

    #[test]
    fn intervals_are_rounded_outwards() {
        let third = Interval::exactly(1.0 / 3.0);
        let sum = third.plus(third).plus(third);
        assert!(sum.contains(1.0) && sum.width() < 1e-15);
        assert_eq!(third.times(1.0), third);
        assert!(third.times(0.1).width() > 0.0);
        assert_eq!(Interval::INFINITE.width().total_cmp(&0.0), std::cmp::Ordering::Equal);
    }

    #[test]
    fn nothing_is_narrower_than_zero() {
        let accuracy = Accuracy::default();
        assert!(accuracy.is_met(Interval::exactly(0.0)));
        assert!(!accuracy.is_met(Interval { low: 0.0, high: 1e-12 }));
        assert!(!accuracy.is_met(Interval { low: -1e-16, high: 1e-16 }));
        assert!(!accuracy.is_met(Interval { low: 1e-16, high: 2e-16 }));
        assert!(accuracy.is_met(Interval { low: 1e-16, high: 1e-16 * (1.0 + 1e-7) }));
        assert!(accuracy.is_met(Interval { low: 1.0, high: 1.0 + 1e-7 }));
        assert!(!accuracy.is_met(Interval::ANY));
    }

    #[test]
    fn inexact_sums_are_noticed() {
        assert!(adds_exactly(0.5, 0.25) && adds_exactly(1e15, 1.0) && adds_exactly(0.1, 0.1));
        assert!(sums_are_exact([0.5, 0.25, 3.0].into_iter()) && sums_are_exact([0.1].into_iter()));
        assert!(!sums_are_exact([0.1, 0.2, 0.3].into_iter()));
        let cancelling = [1.0 - f64::EPSILON / 2.0, f64::EPSILON / 2.0, 9_007_199_254_740_991.0];
        assert!(!sums_are_exact(cancelling.into_iter()));
        assert!(!adds_exactly(0.1, 0.2) && !adds_exactly(1e16, 1.0) && !adds_exactly(1.0, 1e-300));
    }
}
