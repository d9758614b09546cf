//! Times of a clock, without loss: a log of nanoseconds since 1970 has more digits than a floating-point
//! number.

/// Parts of a unit of time.
const PARTS: i128 = 1_000_000_000_000;

/// So many digits after the point are kept.
const PLACES: usize = 12;

/// A point of time: so many parts of a unit after some first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Timestamp(i128);

impl Timestamp {
    /// Reads a decimal number; `None` if it is none, or has more digits than are kept.
    pub(super) fn of_number(text: &str) -> Option<Timestamp> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        Some(Timestamp(sign * parts(digits)?))
    }

    /// Returns the timestamp nearest to a number.
    pub(super) fn near(number: f64) -> Timestamp {
        Timestamp((number * PARTS as f64) as i128)
    }

    /// Reads a date with a time of the day, as ISO 8601 writes it, in seconds: `2026-01-31T12:00:00.25Z`,
    /// with a blank in the place of the `T`, and with `+01:00` or nothing in that of the `Z`.
    pub(super) fn of_date(text: &str) -> Option<Timestamp> {
        let (date, rest) = text.split_at_checked(10)?;
        let rest = rest.strip_prefix(['T', 't', ' '])?;
        let mut fields = date.split('-');
        let mut field = |length: usize| fields.next().filter(|text| text.len() == length).and_then(whole);
        let (year, month, day) = (field(4)?, field(2)?, field(2)?);
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) || fields.next().is_some() {
            return None;
        }
        let zone = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
        let (clock, zone) = rest.split_at(zone);
        let mut fields = clock.splitn(3, ':');
        let mut field = || fields.next().filter(|text| text.len() == 2).and_then(whole);
        let (hour, minute) = (field()?, field()?);
        let second = fields.next().filter(|text| text.split('.').next().is_some_and(|all| all.len() == 2))?;
        let ahead = match zone {
            "" | "Z" | "z" => 0,
            zone => {
                let sign = if zone.starts_with('+') { 1 } else { -1 };
                let (hours, minutes) = zone[1..].split_once(':').unwrap_or((&zone[1..], "00"));
                sign * (whole(hours)? * 60 + whole(minutes)?)
            }
        };
        let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - ahead;
        let second = parts(second)?;
        (hour < 24 && minute < 60 && second < 61 * PARTS).then_some(Timestamp(minutes * 60 * PARTS + second))
    }

    /// Returns the time since another timestamp.
    pub(super) fn since(self, other: Timestamp) -> f64 {
        self.0.saturating_sub(other.0) as f64 / PARTS as f64
    }
}

/// Reads a number that is not negative.
fn parts(text: &str) -> Option<i128> {
    let (before, after) = text.split_once('.').unwrap_or((text, ""));
    if after.len() > PLACES || before.len() > 24 || before.is_empty() && after.is_empty() {
        return None;
    }
    let before = if before.is_empty() { 0 } else { whole(before)? };
    let after = whole(&format!("{after:0<PLACES$}"))?;
    Some(before * PARTS + after)
}

fn whole(text: &str) -> Option<i128> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Returns how many days after the first of March of the year 0 a day is (Howard Hinnant, *chrono-compatible
/// low-level date algorithms*).
fn days(year: i128, month: i128, day: i128) -> i128 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    year * 365 + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn dates_are_counted_in_seconds() {
        let seconds =
            |from: &str, to: &str| Timestamp::of_date(to).unwrap().since(Timestamp::of_date(from).unwrap());
        let day = 86_400.0;
        let cases = [
            ("2026-01-01T00:00:00", "2026-01-02T00:00:00", day),
            ("2024-02-28T00:00:00Z", "2024-03-01 00:00:00Z", 2.0 * day),
            ("2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z", day),
            ("1999-12-31T23:59:59.75Z", "2000-01-01T00:00:00.25Z", 0.5),
            ("1970-01-01T00:00:00Z", "2026-01-01T00:00:00Z", 1_767_225_600.0),
            ("2026-01-01T12:00:00+02:00", "2026-01-01T12:00:00-01:30", 3.5 * 3_600.0),
        ];
        for (from, to, expected) in cases {
            assert_eq!(seconds(from, to).to_bits(), f64::to_bits(expected), "{from} {to}");
        }
        for wrong in
            ["", "2026", "2026-01-01", "2026-01-01T12", "2026-00-01T00:00:00", "2026-01-01T25:00:00", "x"]
        {
            assert_eq!(Timestamp::of_date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_keep_their_digits() {
        let number = |text: &str| Timestamp::of_number(text).unwrap();
        assert_eq!(
            number("1700000000123456789").since(number("1700000000123456788")).to_bits(),
            1.0_f64.to_bits()
        );
        assert_eq!(number("-0.5").since(number(".25")).to_bits(), (-0.75_f64).to_bits());
        for other in ["", ".", "-", "1e5", "1 us", "0.1234567890123"] {
            assert_eq!(Timestamp::of_number(other), None, "{other}");
        }
    }
}
