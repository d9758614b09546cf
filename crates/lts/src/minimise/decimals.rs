//! Rates and probabilities as exact decimal numbers.
//!
//! All numbers of a graph are multiples of one power of ten, so that a sum is a sum of whole numbers: 0.1 and
//! 0.2 are 0.3, in any order. A number has 256 bits, of which 32 are left for sums of as many edges as a
//! graph can have.

use std::fmt::Write;

use crate::error::EquivalenceError;

/// A multiple of a power of ten that is known elsewhere, the lowest digits first.
pub(super) type Amount = [u64; 4];

/// As many digits fit, with room for sums.
const MAX_DIGITS: i64 = 67;

/// A decimal number as it is written: digits, and the power of ten of the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

/// Adds a number to another.
pub(super) fn add(to: &mut Amount, other: &Amount) {
    let mut carry = false;
    for (digit, more) in to.iter_mut().zip(other) {
        let (sum, first) = digit.overflowing_add(*more);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        *digit = sum;
        carry = first || second;
    }
}

/// Multiplies by a small number and adds another.
fn shift(number: &mut Amount, by: u64, plus: u64) {
    let mut carry = u128::from(plus);
    for digit in number {
        let product = u128::from(*digit) * u128::from(by) + carry;
        *digit = product as u64;
        carry = product >> 64;
    }
}

/// Divides by ten and returns the remainder.
fn last_digit(number: &mut Amount) -> u8 {
    let mut rest = 0_u128;
    for digit in number.iter_mut().rev() {
        let whole = (rest << 64) | u128::from(*digit);
        *digit = (whole / 10) as u64;
        rest = whole % 10;
    }
    rest as u8
}

/// Returns whether a multiple of a power of ten is more than 1.
pub(super) fn exceeds_one(amount: &Amount, exponent: i64) -> bool {
    let mut one = Amount::from([1, 0, 0, 0]);
    // More digits do not fit, and so do no numbers as large as 1.
    if exponent < -76 {
        return false;
    }
    (exponent..0).for_each(|_| shift(&mut one, 10, 0));
    amount.iter().rev().gt(one.iter().rev())
}

/// Reads numbers; returns them and the power of ten that they are multiples of.
pub(super) fn read_all(texts: &[&str]) -> Result<(Vec<Amount>, i64), EquivalenceError> {
    let numbers: Vec<Decimal> = texts.iter().map(|text| read(text)).collect::<Result<_, _>>()?;
    let least = numbers.iter().map(|number| number.exponent).min().unwrap_or(0);
    let amounts = numbers.iter().zip(texts).map(|(number, text)| {
        let zeros = number.exponent - least;
        if number.digits.len() as i64 + zeros > MAX_DIGITS {
            return Err(EquivalenceError::Apart { number: (*text).to_owned(), digits: MAX_DIGITS });
        }
        let mut amount = Amount::default();
        number.digits.iter().for_each(|digit| shift(&mut amount, 10, u64::from(*digit)));
        (0..zeros).for_each(|_| shift(&mut amount, 10, 0));
        Ok(amount)
    });
    Ok((amounts.collect::<Result<_, _>>()?, least))
}

fn read(text: &str) -> Result<Decimal, EquivalenceError> {
    let wrong = || EquivalenceError::NoDecimal(text.to_owned());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| wrong())?),
        None => (text, 0),
    };
    let mantissa = mantissa.strip_prefix('+').unwrap_or(mantissa);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits: Vec<u8> =
        whole.bytes().chain(fraction.bytes()).map(|byte| byte.wrapping_sub(b'0')).collect();
    if digits.is_empty() || digits.iter().any(|digit| *digit > 9) {
        return Err(wrong());
    }
    let mut exponent = i64::from(exponent) - fraction.len() as i64;
    while digits.len() > 1 && digits.last() == Some(&0) {
        digits.pop();
        exponent += 1;
    }
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    digits.drain(..zeros);
    Ok(Decimal { digits, exponent })
}

/// Writes a number exactly, given the power of ten it is a multiple of.
pub(super) fn write(amount: &Amount, mut exponent: i64) -> String {
    let mut rest = *amount;
    let mut digits = Vec::new();
    while rest != Amount::default() {
        digits.push(b'0' + last_digit(&mut rest));
    }
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    digits.drain(..zeros);
    exponent += zeros as i64;
    digits.reverse();
    let digits: String = digits.into_iter().map(char::from).collect();
    if digits.is_empty() {
        return "0".to_owned();
    }
    // How many digits stand before the point.
    let whole = digits.len() as i64 + exponent;
    let mut text = String::new();
    if exponent >= 0 && whole <= 21 {
        text.push_str(&digits);
        text.extend((0..exponent).map(|_| '0'));
    } else if exponent < 0 && whole > 0 {
        let (before, after) = digits.split_at(whole as usize);
        let _ = write!(text, "{before}.{after}");
    } else if exponent < 0 && whole > -6 {
        text.push_str("0.");
        text.extend((whole..0).map(|_| '0'));
        text.push_str(&digits);
    } else {
        let (first, others) = digits.split_at(1);
        let point = if others.is_empty() { "" } else { "." };
        let _ = write!(text, "{first}{point}{others}e{}", whole - 1);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{add, read_all, write};

    #[test]
    fn numbers_are_written_as_they_were_read() {
        for text in ["1", "0.1", "2.5", "1000000", "0.30000000000000004", "1e300", "1.25e-9", "123456.789"] {
            let (amounts, exponent) = read_all(&[text]).unwrap();
            assert_eq!(write(&amounts[0], exponent), text);
        }
        for (text, shorter) in [("+2.50", "2.5"), ("1E3", "1000"), (".5", "0.5"), ("5.", "5"), ("007", "7")] {
            let (amounts, exponent) = read_all(&[text]).unwrap();
            assert_eq!(write(&amounts[0], exponent), shorter);
        }
    }

    #[test]
    fn sums_are_exact() {
        let (mut amounts, exponent) = read_all(&["0.1", "0.2", "0.3", "1e40"]).unwrap();
        let other = amounts[1];
        add(&mut amounts[0], &other);
        assert_eq!(amounts[0], amounts[2]);
        let large = amounts[3];
        add(&mut amounts[0], &large);
        assert_eq!(write(&amounts[0], exponent), format!("1{}.3", "0".repeat(40)));
        let (least, most) = (&"9".repeat(60), "1e-20");
        assert!(read_all(&[least, most]).unwrap_err().to_string().contains("digits apart"));
        assert!(read_all(&["nan"]).is_err());
    }
}
