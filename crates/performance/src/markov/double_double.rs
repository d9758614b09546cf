//! Numbers of twice the usual precision: unevaluated sums of two floating-point numbers (Dekker 1971).
//!
//! Additions and multiplications of such numbers are off by less than 2⁻¹⁰² of the result (Joldes, Muller and
//! Popescu 2017 have 3·2⁻¹⁰⁶ and 5·2⁻¹⁰⁶ for what is done here), as long as nothing underflows.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// By how much an operation may be off, compared with its result.
pub(crate) const UNIT: f64 = 1.0 / (1_u128 << 102) as f64;

/// The sum of two numbers, of which the second is at most half of the last digit of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Double {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

impl Double {
    /// The exact product of two numbers.
    pub(crate) fn product(one: f64, other: f64) -> Double {
        let high = one * other;
        let (one, other) = (halves(one), halves(other));
        let low = ((one.0 * other.0 - high) + one.0 * other.1 + one.1 * other.0) + one.1 * other.1;
        Double { high, low }
    }

    /// The exact sum of two numbers.
    pub(crate) fn sum(one: f64, other: f64) -> Double {
        let high = one + other;
        let part = high - one;
        Double { high, low: (one - (high - part)) + (other - part) }
    }

    /// The same, if the first is not the smaller one in absolute value.
    fn of(one: f64, other: f64) -> Double {
        let high = one + other;
        Double { high, low: other - (high - one) }
    }
}

impl Neg for Double {
    type Output = Double;

    #[inline]
    fn neg(self) -> Double {
        Double { high: -self.high, low: -self.low }
    }
}

impl Sub for Double {
    type Output = Double;

    #[inline]
    fn sub(self, other: Double) -> Double {
        self + -other
    }
}

impl AddAssign for Double {
    #[inline]
    fn add_assign(&mut self, other: Double) {
        *self = *self + other;
    }
}

impl Double {
    /// One over a number, by one step of Newton's method: off by a few units of the last digit.
    pub(crate) fn reciprocal(self) -> Double {
        let first = Double::from(1.0 / self.high);
        first + first * (Double::from(1.0) - self * first)
    }
}

/// A complex number of twice the usual precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FineComplex {
    pub(super) real: Double,
    pub(super) imaginary: Double,
}

impl FineComplex {
    pub(super) fn new(real: f64, imaginary: f64) -> FineComplex {
        FineComplex { real: real.into(), imaginary: imaginary.into() }
    }

    pub(super) fn times(self, factor: f64) -> FineComplex {
        let factor = Double::from(factor);
        FineComplex { real: self.real * factor, imaginary: self.imaginary * factor }
    }

    pub(super) fn reciprocal(self) -> FineComplex {
        let size = (self.real * self.real + self.imaginary * self.imaginary).reciprocal();
        FineComplex { real: self.real * size, imaginary: -(self.imaginary * size) }
    }
}

impl Add for FineComplex {
    type Output = FineComplex;

    fn add(self, other: FineComplex) -> FineComplex {
        FineComplex { real: self.real + other.real, imaginary: self.imaginary + other.imaginary }
    }
}

impl Sub for FineComplex {
    type Output = FineComplex;

    fn sub(self, other: FineComplex) -> FineComplex {
        FineComplex { real: self.real - other.real, imaginary: self.imaginary - other.imaginary }
    }
}

impl Mul for FineComplex {
    type Output = FineComplex;

    fn mul(self, other: FineComplex) -> FineComplex {
        FineComplex {
            real: self.real * other.real - self.imaginary * other.imaginary,
            imaginary: self.real * other.imaginary + self.imaginary * other.real,
        }
    }
}

/// Splits a number into two of 26 digits each, below 2⁹⁹⁶.
fn halves(number: f64) -> (f64, f64) {
    let scaled = number * 134_217_729.0;
    let high = scaled - (scaled - number);
    (high, number - high)
}

impl From<f64> for Double {
    fn from(high: f64) -> Double {
        Double { high, low: 0.0 }
    }
}

impl Add for Double {
    type Output = Double;

    #[inline]
    fn add(self, other: Double) -> Double {
        let (sum, rest) = (Double::sum(self.high, other.high), Double::sum(self.low, other.low));
        let sum = Double::of(sum.high, sum.low + rest.high);
        Double::of(sum.high, sum.low + rest.low)
    }
}

impl Mul for Double {
    type Output = Double;

    #[inline]
    fn mul(self, other: Double) -> Double {
        let product = Double::product(self.high, other.high);
        let crossed = self.high * other.low + self.low * other.high;
        Double::of(product.high, product.low + crossed)
    }
}

#[cfg(test)]
mod tests {
    use num_rational::Ratio;

    use super::Double;

    /// In units of 2⁻¹¹⁰, exactly, if the number is below 2¹⁶ and has no digits beyond.
    fn exact(number: f64) -> i128 {
        let scaled = number * 2.0_f64.powi(110);
        assert!(scaled.fract() == 0.0 && scaled.abs() < 2.0_f64.powi(126));
        scaled as i128
    }

    #[test]
    fn products_and_sums_of_two_numbers_are_exact() {
        let mut random = narrows_graph::Random::new(3);
        for _ in 0..10_000 {
            let mut number = || (1 + random.below(1 << 53)) as f64 / 2.0_f64.powi(53);
            let (one, other) = (number(), number());
            let product = Double::product(one, other);
            let expected = Ratio::new(exact(one) >> 57, 1) * Ratio::new(exact(other) >> 57, 1);
            assert_eq!(Ratio::new((exact(product.high) + exact(product.low)) >> 4, 1), expected);
            let sum = Double::sum(one, other);
            assert_eq!(exact(sum.high) + exact(sum.low), exact(one) + exact(other));
        }
    }

    #[test]
    fn a_third_has_thirty_digits() {
        let third = Double { high: 1.0 / 3.0, low: (1.0 / 3.0) * 2.0_f64.powi(-54) };
        let one = third + third + third;
        assert!(Double::from(1.0) == one || (one.high - 1.0 + one.low).abs() < 1e-31, "{one:?}");
        let ninth = third * third;
        let parts = (0..9).fold(Double::default(), |sum, _| sum + ninth);
        assert!((parts.high - 1.0 + parts.low).abs() < 1e-30, "{parts:?}");
    }
}
