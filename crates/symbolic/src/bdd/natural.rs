//! Natural numbers of any size: there are more states than any other number can count.

use std::fmt::{self, Display, Formatter};

/// A natural number of any size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Natural {
    /// The digits to base 2³², the last one first; the first one is not 0.
    digits: Vec<u32>,
}

impl Natural {
    /// Returns a power of two.
    pub(crate) fn power_of_two(exponent: usize) -> Natural {
        Natural { digits: vec![1] }.shifted(exponent)
    }

    /// Returns the sum of two numbers.
    #[must_use]
    pub(crate) fn plus(&self, other: &Natural) -> Natural {
        let length = self.digits.len().max(other.digits.len());
        let mut digits = Vec::with_capacity(length + 1);
        let mut carry = 0_u64;
        for index in 0..length {
            let digit = |number: &Natural| u64::from(number.digits.get(index).copied().unwrap_or(0));
            let sum = digit(self) + digit(other) + carry;
            digits.push(sum as u32);
            carry = sum >> 32;
        }
        digits.push(carry as u32);
        Natural { digits }.trimmed()
    }

    /// Returns the difference of two numbers, the second not being larger.
    #[must_use]
    pub(crate) fn minus(&self, other: &Natural) -> Natural {
        let mut digits = Vec::with_capacity(self.digits.len());
        let mut borrow = 0_i64;
        for (index, digit) in self.digits.iter().enumerate() {
            let mut difference =
                i64::from(*digit) - i64::from(other.digits.get(index).copied().unwrap_or(0)) - borrow;
            borrow = i64::from(difference < 0);
            difference += borrow << 32;
            digits.push(difference as u32);
        }
        Natural { digits }.trimmed()
    }

    /// Returns the number times a power of two.
    #[must_use]
    pub(crate) fn shifted(&self, by: usize) -> Natural {
        let mut digits = vec![0; by / 32];
        let bits = (by % 32) as u32;
        let mut carry = 0_u64;
        for digit in &self.digits {
            let shifted = (u64::from(*digit) << bits) | carry;
            digits.push(shifted as u32);
            carry = shifted >> 32;
        }
        digits.push(carry as u32);
        Natural { digits }.trimmed()
    }

    fn trimmed(mut self) -> Natural {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        self
    }
}

impl Display for Natural {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        const CHUNK: u64 = 1_000_000_000;
        let mut rest = self.clone();
        let mut chunks = Vec::new();
        while !rest.digits.is_empty() {
            let mut remainder = 0_u64;
            for digit in rest.digits.iter_mut().rev() {
                let value = remainder << 32 | u64::from(*digit);
                *digit = (value / CHUNK) as u32;
                remainder = value % CHUNK;
            }
            chunks.push(remainder);
            rest = rest.trimmed();
        }
        let Some(first) = chunks.pop() else { return to.write_str("0") };
        write!(to, "{first}")?;
        chunks.iter().rev().try_for_each(|chunk| write!(to, "{chunk:09}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Natural;

    #[test]
    fn powers_are_written_as_decimals() {
        assert_eq!(Natural::default().to_string(), "0");
        assert_eq!(Natural::power_of_two(64).to_string(), "18446744073709551616");
        assert_eq!(Natural::power_of_two(100).to_string(), "1267650600228229401496703205376");
        let difference = Natural::power_of_two(64).minus(&Natural::power_of_two(0));
        assert_eq!(difference.to_string(), u64::MAX.to_string());
        assert_eq!(difference.plus(&Natural::power_of_two(0)), Natural::power_of_two(64));
    }
}
