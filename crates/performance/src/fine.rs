//! Positive numbers of twice the usual precision that know how far they may be off.
//!
//! Rates are quotients and products of what a study gives: means, stages, speeds, chances. Each operation
//! here is off by a few [`UNIT`]s of its result, and many are exact; the usual precision comes last, as one
//! rounding.

use std::ops::Range;

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
pub(crate) const QUOTIENT: f64 = 8.0 * UNIT;

/// Numbers whose digits beyond the usual precision are not lost where they are computed.
const NORMAL: Range<f64> = 1e-250..1e250;

/// So many digits fit into a whole number, and a power of ten that is exact.
const DIGITS: u32 = 36;

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
        Fine::of(time).split_near()
    }

    /// Returns the floating-point number that is nearest to it, or as good as that, and by which factor it is
    /// more.
    pub fn split_near(self) -> (f64, Fine) {
        let near = self.near();
        let factor = if self.is_exact() { Fine::ONE } else { self.over(Fine::from(near)) };
        (near, factor)
    }

    /// Returns a number that may be off by a part of itself.
    pub(crate) fn known(value: Double, off: f64) -> Fine {
        Fine { value, off }
    }

    /// Returns whether it may be 1, for all that is known.
    pub(crate) fn may_be_one(self) -> bool {
        let apart = self.value - Double::from(1.0);
        (apart.high + apart.low).abs() <= self.off * (1.0 + 1e-9) + UNIT
    }

    /// Returns a quotient of whole numbers.
    pub fn ratio(above: i128, below: i128) -> Fine {
        Fine::whole(above).over(Fine::whole(below))
    }

    /// Returns the decimal that a floating-point number is written as: 0.1 is a tenth.
    pub fn as_written(number: f64) -> Fine {
        Fine::decimal(&format!("{number:e}"), number)
    }

    /// Returns a decimal number, such as `0.1` or `2.5e-3`, given the floating-point number it was read as.
    pub fn decimal(text: &str, near: f64) -> Fine {
        if near == 0.0 {
            return Fine::ZERO;
        }
        let usual = NORMAL.contains(&near);
        usual.then(|| digits(text)).flatten().unwrap_or(Fine { value: Double::from(near), off: f64::EPSILON })
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

    /// Returns the same number, of which something else tells how much it is off at most.
    #[must_use]
    pub(crate) fn within(self, off: f64) -> Fine {
        Fine { off: self.off.min(off), ..self }
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

/// Reads a decimal number, by its digits and the power of ten of the last one.
fn digits(text: &str) -> Option<Fine> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let mut exponent: i32 = exponent.parse().ok()?;
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0') } else { mantissa };
    let (mut number, mut is_cut, mut is_fraction) = (0_i128, false, false);
    for byte in mantissa.strip_prefix('+').unwrap_or(mantissa).bytes() {
        match byte {
            b'.' if !is_fraction => is_fraction = true,
            b'0'..=b'9' if number < 10_i128.pow(DIGITS - 1) => {
                number = 10 * number + i128::from(byte - b'0');
                exponent = exponent.checked_sub(is_fraction.into())?;
            }
            b'0'..=b'9' => {
                is_cut |= byte != b'0';
                exponent = exponent.checked_add((!is_fraction).into())?;
            }
            _ => return None,
        }
    }
    let mut value = Fine::whole(number);
    while exponent != 0 {
        let part = exponent.clamp(-(DIGITS as i32), DIGITS as i32);
        let power = Fine::whole(10_i128.pow(part.unsigned_abs()));
        value = if part > 0 { value.times(power) } else { value.over(power) };
        exponent -= part;
    }
    Some(if is_cut { Fine { off: together(value.off, UNIT), ..value } } else { value })
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
    fn decimals_are_what_is_written() {
        let check = |text: &str, above: i64, below: i64, is_exact: bool| {
            let found = Fine::decimal(text, text.parse().unwrap());
            let truth = Fraction::new(above.into(), below.into());
            assert!((value(found) - &truth).abs() / &truth <= fraction(found.off()), "{text} {found:?}");
            assert!(found.off() < 1e-28, "{text} {found:?}");
            assert_eq!(found.is_exact(), is_exact, "{text} {found:?}");
        };
        check("0.1", 1, 10, false);
        check("12.50", 25, 2, true);
        check("+2.5E-3", 1, 400, false);
        check("1e3", 1000, 1, true);
        check(".3", 3, 10, false);
        check("7.", 7, 1, true);
        check("0.001e3", 1, 1, true);
        check("123456789.0000000000000000000000000000000000000000000001", 123_456_789, 1, false);
        check("2.50000000000000000000000000000000000000000000000", 5, 2, true);
        let long = Fine::decimal("0.3333333333333333333333333333333333333333333333", 1.0 / 3.0);
        assert!((value(long) - Fraction::new(1.into(), 3.into())).abs() < fraction(1e-28));
        // Where digits would be lost, it is known that they are.
        assert_eq!(Fine::decimal("1e-300", 1e-300).off().to_bits(), f64::EPSILON.to_bits());
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
