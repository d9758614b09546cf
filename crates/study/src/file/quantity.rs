//! Numbers and times as a study writes them, exactly.

use narrows_performance::Time;
use thiserror::Error;

/// Units of time, and how many seconds each is.
const UNITS: [(&str, i128, i128); 8] = [
    ("ps", 1, 1_000_000_000_000),
    ("ns", 1, 1_000_000_000),
    ("us", 1, 1_000_000),
    ("µs", 1, 1_000_000),
    ("ms", 1, 1_000),
    ("s", 1, 1),
    ("min", 60, 1),
    ("h", 3600, 1),
];

/// Units of data, and how many bits each is.
const SIZES: [(&str, i128); 11] = [
    ("bit", 1),
    ("kbit", 1_000),
    ("Mbit", 1_000_000),
    ("Gbit", 1_000_000_000),
    ("B", 8),
    ("KB", 8_000),
    ("kB", 8_000),
    ("MB", 8_000_000),
    ("GB", 8_000_000_000),
    ("KiB", 8 << 10),
    ("MiB", 8 << 20),
];

/// Reads a decimal number such as `12`, `0.5` or `1e-3`, exactly; `None` if it is none, or too long.
pub(super) fn decimal(text: &str) -> Option<Time> {
    let text = text.trim().replace('_', "");
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text.as_str(), 0),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{part}");
    if part.contains(['+', '-']) || digits.len() > 24 || !(-24..=24).contains(&exponent) {
        return None;
    }
    let number = Time::from_integer(digits.parse().ok()?);
    let shift = exponent - i32::try_from(part.len()).ok()?;
    let power = Time::from_integer(10_i128.checked_pow(shift.unsigned_abs())?);
    Some(if shift < 0 { number / power } else { number * power })
}

/// Why a text is no quantity.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum QuantityError {
    /// It is no time.
    #[error("`{0}` is not a time")]
    NoTime(String),
    /// Its unit is none of time.
    #[error("unknown unit of time `{0}`; use ns, us, ms, s, min or h")]
    NoUnitOfTime(String),
    /// Its unit can't be converted to that of the study.
    #[error("how many `{to}` are in one `{from}` is unknown")]
    OtherUnit {
        /// Its unit.
        from: String,
        /// That of the study.
        to: String,
    },
    /// The unit of the study is none of time, and a rate is in seconds.
    #[error("how many `{0}` are in a second is unknown")]
    NotInSeconds(String),
    /// It is not an amount of data.
    #[error("`{0}` is not an amount of data")]
    NoData(String),
    /// Its unit is none of data.
    #[error("unknown unit of data `{0}`; use B, KB, MB, GB, KiB, MiB, bit, kbit, Mbit or Gbit")]
    NoUnitOfData(String),
    /// It is no rate.
    #[error("`{0}` is not a rate; write it as data each second, such as 132 MB/s")]
    NoRate(String),
    /// Nothing moves at such a rate.
    #[error("a rate must be above 0")]
    NotAboveZero,
}

/// Reads a time such as `248`, `1.5 ms`, `20ns` or `32 KiB at 132 MB/s`, in a unit; the error says what is
/// wrong.
pub(super) fn time(text: &str, unit: &str) -> Result<Time, QuantityError> {
    let text = text.trim();
    if let Some((size, rate)) = text.split_once(" at ") {
        return transfer(size, rate, unit);
    }
    let (number, own) = split_unit(text);
    let number = decimal(number).ok_or_else(|| QuantityError::NoTime(text.to_owned()))?;
    if own.is_empty() || own == unit {
        return Ok(number);
    }
    match (seconds(own), seconds(unit)) {
        (Some(own), Some(unit)) => Ok(number * own / unit),
        (None, _) => Err(QuantityError::NoUnitOfTime(own.to_owned())),
        (_, None) => Err(QuantityError::OtherUnit { from: own.to_owned(), to: unit.to_owned() }),
    }
}

/// Takes a number and its unit apart.
pub(super) fn split_unit(text: &str) -> (&str, &str) {
    let split = text.find(|c: char| c.is_alphabetic() && c != 'e' && c != 'E').unwrap_or(text.len());
    (text[..split].trim(), text[split..].trim())
}

/// Returns how many bits an amount of data such as `32 KiB` is; the error says what is wrong.
pub(super) fn bits(text: &str) -> Result<Time, QuantityError> {
    let (number, own) = split_unit(text);
    let number = decimal(number).ok_or_else(|| QuantityError::NoData(text.to_owned()))?;
    let size = SIZES.iter().find(|(name, _)| *name == own);
    let (_, bits) = size.ok_or_else(|| QuantityError::NoUnitOfData(own.to_owned()))?;
    Ok(number * Time::from_integer(*bits))
}

/// Returns how many MB/s so much data in each unit of time is; `None` if nobody knows how long the unit is.
pub(super) fn megabytes_per_second(data: &str, unit: &str) -> Option<Time> {
    Some(bits(data).ok()? / Time::from_integer(8_000_000) / seconds(unit)?)
}

/// Returns how long it takes to move so much data at a rate.
fn transfer(size: &str, rate: &str, unit: &str) -> Result<Time, QuantityError> {
    let rate = rate.trim();
    let per_second = rate.strip_suffix("/s").ok_or_else(|| QuantityError::NoRate(rate.to_owned()))?;
    let per_second = bits(per_second)?;
    if per_second <= Time::from_integer(0) {
        return Err(QuantityError::NotAboveZero);
    }
    let unit = seconds(unit).ok_or_else(|| QuantityError::NotInSeconds(unit.to_owned()))?;
    Ok(bits(size)? / per_second / unit)
}

/// Returns how many seconds a unit is; `None` if it is none of time.
fn seconds(unit: &str) -> Option<Time> {
    UNITS.iter().find(|(name, ..)| *name == unit).map(|(_, times, over)| Time::new(*times, *over))
}

#[cfg(test)]
mod tests {
    use narrows_performance::Time;

    use super::{decimal, time};

    #[test]
    fn numbers_are_exact() {
        assert_eq!(decimal("0.1"), Some(Time::new(1, 10)));
        assert_eq!(decimal("1_000"), Some(Time::from_integer(1000)));
        assert_eq!(decimal("2.5e-3"), Some(Time::new(1, 400)));
        assert_eq!(decimal("12e2"), Some(Time::from_integer(1200)));
        assert_eq!(decimal("-0.5"), Some(Time::new(-1, 2)));
        for text in ["", "x", "1.-5", "1e99", "inf"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }

    #[test]
    fn units_are_converted() {
        assert_eq!(time("1.5 ms", "us"), Ok(Time::from_integer(1500)));
        assert_eq!(time("20ns", "us"), Ok(Time::new(1, 50)));
        assert_eq!(time("3", "cycles"), Ok(Time::from_integer(3)));
        assert_eq!(time("3 cycles", "cycles"), Ok(Time::from_integer(3)));
        assert_eq!(time("32 KiB at 1.28 Gbit/s", "us"), Ok(Time::new(1024, 5)));
        assert_eq!(time("32 KiB at 132 MB/s", "us"), Ok(Time::new(8192, 33)));
        assert!(time("32 KiB at 132 MB", "us").unwrap_err().to_string().contains("not a rate"));
        assert!(time("32 KiB at 0 MB/s", "us").unwrap_err().to_string().contains("above 0"));
        assert!(time("32 loads at 1 MB/s", "us").unwrap_err().to_string().contains("unknown unit of data"));
        assert!(time("32 KiB at 1 MB/s", "cycles").unwrap_err().to_string().contains("unknown"));
        assert!(time("3 parsec", "us").unwrap_err().to_string().contains("unknown unit of time"));
        assert!(time("3 ms", "cycles").unwrap_err().to_string().contains("unknown"));
    }
}
