//! Positive numbers of twice the usual precision that know how far they may be off.
//!
//! Rates are quotients and products of what a study gives: means, stages, speeds, chances. Each operation
//! here is off by a few [`UNIT`]s of its result, and many are exact; the usual precision comes last, as one
//! rounding.

use crate::delay::Time;
use crate::markov::double_double::{Double, UNIT};

/// A number that is not negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fine {
    value: Double,
    /// How much it may be off, compared with itself.
    off: f64,
}

/// What a quotient of twice the usual precision is off by.
const QUOTIENT: f64 = 8.0 * UNIT;

impl Fine {
    /// Nothing.
    pub const ZERO: Fine = Fine { value: Double { high: 0.0, low: 0.0 }, off: 0.0 };
    /// One.
    pub const ONE: Fine = Fine { value: Double { high: 1.0, low: 0.0 }, off: 0.0 };

    /// Returns the number that a fraction is.
    pub fn of(time: Time) -> Fine {
        Fine::ratio(*time.numer(), *time.denom())
    }

    /// Returns the floating-point number that is nearest to a time, or as good as that, and by which factor
    /// the time is longer.
    pub fn split(time: Time) -> (f64, Fine) {
        let exact = Fine::of(time);
        let near = exact.near();
        let factor = if exact.is_exact() { Fine::ONE } else { exact.over(Fine::from(near)) };
        (near, factor)
    }

    /// Returns a quotient of whole numbers.
    pub fn ratio(above: i128, below: i128) -> Fine {
        Fine::whole(above).over(Fine::whole(below))
    }

    fn whole(number: i128) -> Fine {
        let high = number as f64;
        let rest = number.saturating_sub(high as i128);
        let low = rest as f64;
        let off = if low as i128 == rest { 0.0 } else { UNIT };
        Fine { value: Double { high, low }, off }
    }

    /// Returns the floating-point number that is nearest to it, or as good as that.
    pub fn near(self) -> f64 {
        self.value.high
    }

    /// Returns the number itself.
    pub(crate) fn double(self) -> Double {
        self.value
    }

    /// Returns whether the nearest floating-point number is just this one.
    pub fn is_exact(self) -> bool {
        self.is_short() && self.off == 0.0
    }

    /// Returns how much it may be off, compared with itself.
    pub(crate) fn off(self) -> f64 {
        self.off
    }

    /// Returns bits that tell it from others.
    pub(crate) fn bits(self) -> [u64; 2] {
        [self.value.high, self.value.low].map(f64::to_bits)
    }

    /// Returns its exponent and its first 80 digits, which two ways to compute a number agree on, as good as
    /// always.
    pub(crate) fn digits(self) -> (i32, i128) {
        let bits = self.value.high.to_bits();
        let exponent = (bits >> 52) as i32 - 1023;
        let first = i128::from(bits & ((1 << 52) - 1) | 1 << 52) << 28;
        let low = self.value.low / 2.0_f64.powi(exponent) * (1_u128 << 80) as f64;
        (exponent, first + low.round() as i128)
    }

    /// Returns the same number if it stands for another one too, with the same digits.
    #[must_use]
    pub(crate) fn shared_with(self, other: Fine) -> Fine {
        if self.value == other.value {
            return Fine { off: self.off.max(other.off), ..self };
        }
        let apart = (self.value - other.value).high.abs() / self.near() + 2.0 * UNIT;
        Fine { off: together(self.off.max(other.off), apart), ..self }
    }

    fn is_short(self) -> bool {
        self.value.low == 0.0
    }

    /// Returns the sum.
    #[must_use]
    pub fn plus(self, other: Fine) -> Fine {
        let off = self.off.max(other.off);
        if self.is_short() && other.is_short() {
            return Fine { value: Double::sum(self.near(), other.near()), off };
        }
        Fine { value: self.value + other.value, off: together(off, UNIT) }
    }

    /// Returns the product.
    #[must_use]
    pub fn times(self, other: Fine) -> Fine {
        if self == Fine::ONE {
            return other;
        }
        if other == Fine::ONE {
            return self;
        }
        let off = together(self.off, other.off);
        if self.is_short() && other.is_short() {
            return Fine { value: Double::product(self.near(), other.near()), off };
        }
        Fine { value: self.value * other.value, off: together(off, UNIT) }
    }

    /// Returns the quotient.
    #[must_use]
    pub fn over(self, other: Fine) -> Fine {
        if other == Fine::ONE {
            return self;
        }
        let off = together(self.off, other.off);
        if self.is_short() && other.is_short() {
            let quotient = self.near() / other.near();
            if Double::product(quotient, other.near()) == self.value {
                return Fine { value: Double::from(quotient), off };
            }
        }
        let value = self.value * other.value.reciprocal();
        Fine { value, off: together(off, QUOTIENT) }
    }
}

/// Adds what numbers may be off, compared with themselves; products of these and what rounding does to the
/// sum are paid for.
fn together(one: f64, other: f64) -> f64 {
    if one == 0.0 || other == 0.0 { one + other } else { (one + other) * (1.0 + 1e-9) }
}

impl From<f64> for Fine {
    fn from(number: f64) -> Fine {
        Fine { value: Double::from(number), off: 0.0 }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use narrows_graph::Random;
    use num_bigint::BigInt;
    use num_rational::Ratio;
    use num_traits::{Signed, Zero};

    use super::Fine;

    pub(crate) type Fraction = Ratio<BigInt>;

    /// The fraction that a floating-point number is.
    pub(crate) fn fraction(number: f64) -> Fraction {
        if number == 0.0 {
            return Fraction::zero();
        }
        let (bits, exponent) = (number.abs().to_bits(), (number.abs().to_bits() >> 52) as i32 - 1075);
        let mantissa = BigInt::from(bits & ((1 << 52) - 1) | 1 << 52) * number.signum() as i32;
        let power = BigInt::from(1) << exponent.unsigned_abs();
        if exponent < 0 { Fraction::new(mantissa, power) } else { Fraction::from(mantissa * power) }
    }

    /// The fraction that a number is.
    pub(crate) fn value(fine: Fine) -> Fraction {
        fraction(fine.value.high) + fraction(fine.value.low)
    }

    #[test]
    fn numbers_are_as_close_as_they_say() {
        let mut random = Random::new(9);
        let (mut exact, mut rounded) = (0, 0);
        for round in 0..3_000 {
            let mut whole = |most: u64| 1 + random.below(most) as i128;
            let most = if round % 2 == 0 { 16 } else { 1 << 60 };
            let mut truth = Fraction::new(whole(most).into(), whole(most).into());
            let mut found = Fine::ratio(truth.numer().try_into().unwrap(), truth.denom().try_into().unwrap());
            for step in 0..6 {
                let (above, below) = (whole(most), whole(most));
                let (other, own) = (Fine::ratio(above, below), Fraction::new(above.into(), below.into()));
                (found, truth) = match (round + step) % 3 {
                    0 => (found.plus(other), truth + own),
                    1 => (found.times(other), truth * own),
                    _ => (found.over(other), truth / own),
                };
                let off = (value(found) - &truth).abs() / &truth;
                assert!(off <= fraction(found.off()), "{round} {step} {found:?}");
                if found.is_exact() {
                    assert_eq!(fraction(found.near()), truth);
                    exact += 1;
                } else {
                    rounded += 1;
                }
            }
        }
        assert!(exact > 200 && rounded > 5_000, "{exact} {rounded}");
    }

    #[test]
    fn long_whole_numbers_keep_their_digits() {
        let number = (1_i128 << 100) + 12_345;
        let third = Fine::ratio(number, 3);
        let truth = Fraction::new(number.into(), 3.into());
        assert!((value(third) - &truth).abs() / truth <= fraction(third.off()));
        assert!(Fine::ratio(1 << 90, 1 << 20).is_exact() && !Fine::ratio(1, 3).is_exact());
    }
}
