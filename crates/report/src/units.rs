//! Numbers for people.

/// No column of text is made wider than this: beside longer names, nothing is aligned.
pub const WIDEST: usize = 200;

/// Writes a number with its digits in groups of three: `1 234 567`.
pub fn grouped(number: u64) -> String {
    grouped_digits(&number.to_string())
}

/// Writes digits in groups of three.
pub(crate) fn grouped_digits(digits: &str) -> String {
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Writes a number of things: `1 state`, `2 states`.
pub fn count(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Writes an amount of memory: `12.3 MB`.
pub fn bytes(number: u64) -> String {
    let units = ["kB", "MB", "GB", "TB"];
    if number < 1000 {
        return count(number, "byte");
    }
    let mut value = number as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.95 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", units[unit])
}

/// Writes a time: `0.01 s`, `1.2 s`, `3 min 20 s`, `2 h 05 min`.
pub fn seconds(time: f64) -> String {
    if time < 1.0 {
        return format!("{time:.2} s");
    }
    if time < 99.95 {
        return format!("{time:.1} s");
    }
    let whole = time.round() as u64;
    if whole < 3600 {
        return format!("{} min {:02} s", whole / 60, whole % 60);
    }
    format!("{} h {:02} min", whole / 3600, whole % 3600 / 60)
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, grouped, seconds};

    #[test]
    fn writes_numbers_for_people() {
        let cases = [(0, "0"), (999, "999"), (1000, "1 000"), (1_234_567, "1 234 567"), (12_345, "12 345")];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
        assert_eq!((count(1, "state"), count(2000, "state")), ("1 state".into(), "2 000 states".into()));
    }

    #[test]
    fn writes_memory_and_time() {
        let cases = [(999, "999 bytes"), (1, "1 byte"), (1000, "1.0 kB"), (12_300_000, "12.3 MB")];
        for (number, text) in cases {
            assert_eq!(bytes(number), text);
        }
        assert_eq!(bytes(999_960), "1.0 MB");
        assert_eq!(bytes(5_000_000_000_000_000), "5000.0 TB");
        let cases = [(0.0123, "0.01 s"), (1.23, "1.2 s"), (99.99, "1 min 40 s"), (7500.0, "2 h 05 min")];
        for (time, text) in cases {
            assert_eq!(seconds(time), text);
        }
    }
}
