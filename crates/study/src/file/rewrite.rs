//! Writes other values of delays and constants into the text of a study. Layout and comments stay.
//!
//! A delay is scaled so that its mean is the wanted one, as `--what-if` does: of a range both ends, of phases
//! all means. A number stays a number, a text with a unit keeps the unit.

use std::ops::Range;

use narrows_performance::{Time, as_f64};
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, Signed};
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::quantity::{self, QuantityError, decimal};
use super::read::written;

/// So many digits are written behind the point, where a number has no end.
const PLACES: usize = 9;

/// Why a value is not written into a study.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RewriteError {
    /// The text is no TOML, or not of the shape of a study.
    #[error("the study has errors: correct these first")]
    Unreadable,
    /// There is no such delay or constant.
    #[error("the study has no delay and no constant `{0}`")]
    NoEntry(String),
    /// The value is no time.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    /// A delay below 0, or a random one of 0.
    #[error("`{0}` can't take this long: its time must be above 0")]
    NotPositive(String),
    /// The delay is not given by times that can be scaled.
    #[error("`{0}` is given by a file of measurements: edit it by hand")]
    NotScalable(String),
}

/// Gives delays and constants of a study other values, each a name with its value, and returns the new text.
///
/// # Errors
///
/// Says which value can't be written, and why; then nothing is.
pub fn rewritten(text: &str, changes: &[(String, String)]) -> Result<String, RewriteError> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(RewriteError::Unreadable);
    }
    let table = table.get_ref();
    let unit = table.get("unit").and_then(|value| value.get_ref().as_str()).unwrap_or("");
    let find = |section: &str, name: &str| {
        table.get(section).and_then(|value| value.get_ref().as_table()).and_then(|table| table.get(name))
    };
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (name, value) in changes {
        if let Some(entry) = find("delay", name) {
            delay(name, entry, value, unit, &mut edits)?;
        } else if let Some(entry) = find("constant", name) {
            edits.push((entry.span(), constant(entry, value)));
        } else {
            return Err(RewriteError::NoEntry(name.clone()));
        }
    }
    edits.sort_by_key(|(place, _)| place.start);
    let mut new = text.to_owned();
    for (place, value) in edits.into_iter().rev() {
        new.replace_range(place, &value);
    }
    Ok(new)
}

/// Writes a constant: a number or a truth value as it is, all else as a text.
fn constant(entry: &Spanned<DeValue<'_>>, value: &str) -> String {
    let is_number = value.parse::<i64>().is_ok();
    let is_truth = matches!(entry.get_ref(), DeValue::Boolean(_)) && matches!(value, "true" | "false");
    if is_number && !entry.get_ref().is_str() || is_truth { value.to_owned() } else { quoted(value) }
}

fn quoted(value: &str) -> String {
    let mut text = "\"".to_owned();
    for letter in value.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            other if other.is_control() => text.extend(other.escape_unicode()),
            other => text.push(other),
        }
    }
    text + "\""
}

/// Scales the times of a delay.
fn delay(
    name: &str,
    entry: &Spanned<DeValue<'_>>,
    value: &str,
    unit: &str,
    edits: &mut Vec<(Range<usize>, String)>,
) -> Result<(), RewriteError> {
    let wanted = quantity::time(value, unit)?;
    if wanted.is_negative() {
        return Err(RewriteError::NotPositive(name.to_owned()));
    }
    let Some(table) = entry.get_ref().as_table() else {
        edits.push((entry.span(), single(entry, wanted, unit)));
        return Ok(());
    };
    for kind in ["fixed", "exponential", "erlang", "normal", "lognormal", "weibull", "pareto"] {
        let Some(mean) = table.get(kind) else { continue };
        if wanted <= Time::from_integer(0) && kind != "fixed" {
            return Err(RewriteError::NotPositive(name.to_owned()));
        }
        let now = time_of(mean, unit).ok_or(RewriteError::Unreadable)?;
        edits.push((mean.span(), single(mean, wanted, unit)));
        if let Some(deviation) = table.get("deviation").filter(|_| now > Time::from_integer(0)) {
            scale(deviation, (wanted, now), unit, edits)?;
        }
        return Ok(());
    }
    if table.contains_key("empirical") {
        return Err(RewriteError::NotScalable(name.to_owned()));
    }
    let kinds = ["between", "hyperexponential", "hypererlang", "hypoexponential", "coxian"];
    let list = kinds.into_iter().find_map(|kind| table.get(kind)).ok_or(RewriteError::Unreadable)?;
    // The mean of all of these grows with their times.
    let now = mean_of(entry, unit).ok_or(RewriteError::Unreadable)?;
    if now <= Time::from_integer(0) || wanted <= Time::from_integer(0) {
        return Err(RewriteError::NotPositive(name.to_owned()));
    }
    for value in list.get_ref().as_array().into_iter().flat_map(|list| list.iter()) {
        scale(value, (wanted, now), unit, edits)?;
    }
    Ok(())
}

/// Returns the mean of a delay as it is written.
fn mean_of(entry: &Spanned<DeValue<'_>>, unit: &str) -> Option<Time> {
    let table = entry.get_ref().as_table()?;
    let numbers = |key: &str| -> Option<Vec<Time>> {
        let list = table.get(key)?.get_ref().as_array()?;
        list.iter()
            .map(|value| {
                let text = written(value)?;
                quantity::time(&text, unit).ok().or_else(|| {
                    let (above, below) = text.split_once('/')?;
                    decimal(above)?.checked_div(&decimal(below)?)
                })
            })
            .collect()
    };
    let sum = |means: &[Time], shares: &[Time]| {
        let mut all = means.iter().zip(shares);
        all.try_fold(Time::from_integer(0), |sum, (mean, share)| sum.checked_add(&mean.checked_mul(share)?))
    };
    if let Some(ends) = numbers("between") {
        return sum(&ends, &[Time::new(1, 2), Time::new(1, 2)]);
    }
    if let Some(means) = numbers("hypoexponential") {
        return sum(&means, &vec![Time::from_integer(1); means.len()]);
    }
    if let Some(means) = numbers("hyperexponential").or_else(|| numbers("hypererlang")) {
        return sum(&means, &numbers("parts")?);
    }
    // A stage counts as far as it is reached.
    let (means, further) = (numbers("coxian")?, numbers("further")?);
    let mut reached = vec![Time::from_integer(1)];
    for part in &further {
        reached.push(reached[reached.len() - 1].checked_mul(part)?);
    }
    sum(&means, &reached)
}

fn time_of(value: &Spanned<DeValue<'_>>, unit: &str) -> Option<Time> {
    quantity::time(&written(value)?, unit).ok()
}

fn scale(
    value: &Spanned<DeValue<'_>>,
    (wanted, now): (Time, Time),
    unit: &str,
    edits: &mut Vec<(Range<usize>, String)>,
) -> Result<(), RewriteError> {
    let scaled = time_of(value, unit).and_then(|one| one.checked_mul(&wanted)?.checked_div(&now));
    edits.push((value.span(), single(value, scaled.ok_or(RewriteError::Unreadable)?, unit)));
    Ok(())
}

/// Writes a time in place of one: in the unit in which that was written, if it has one of its own.
fn single(value: &Spanned<DeValue<'_>>, time: Time, unit: &str) -> String {
    let text = value.get_ref().as_str();
    // A transfer is a time that follows from other values: what is written instead is the time.
    let own = text.filter(|text| !text.contains(" at ")).map(|text| quantity::split_unit(text.trim()).1);
    let Some(own) = own else { return number(time) };
    let one = quantity::time(&format!("1 {own}"), unit).unwrap_or_else(|_| Time::from_integer(1));
    let separator = if text.is_some_and(|text| text.trim().contains(' ')) { " " } else { "" };
    match time.checked_div(&one) {
        Some(time) => quoted(&format!("{}{separator}{own}", number(time))),
        None => number(time),
    }
}

/// Writes a number as a decimal: exactly, if it ends soon.
fn number(time: Time) -> String {
    let scale = 10_i128.pow(PLACES as u32);
    if time.is_integer() {
        return time.to_integer().to_string();
    }
    // Of a small number the first digits count.
    let is_small = time.abs() < Time::new(1, 10_000);
    let Some(scaled) = time.checked_mul(&Time::from_integer(scale)).filter(|_| !is_small) else {
        return format!("{:e}", as_f64(time));
    };
    let scaled = scaled.round().to_integer();
    let text = format!("{}.{:0places$}", scaled / scale, scaled % scale, places = PLACES);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{RewriteError, rewritten};

    const STUDY: &str = "# A comment.
model = \"m.pml\"
unit  = \"us\"

[constant]
DEPTH = 2      # how deep
NAME = \"x\"

[delay]
\"p:a\" = 1
\"p:b\" = { fixed = \"4 KiB at 1 GB/s\" }   # the bus
\"p:c\" = { between = [ 200, \"0.2 ms\" ] }
\"p:d\" = { erlang = \"2ms\", stages = 3 }
\"p:e\" = { normal = 10, deviation = 2 }
\"p:f\" = { hypoexponential = [1, 3] }
\"p:g\" = { hyperexponential = [1, 3], parts = [\"1/2\", 0.5] }
\"p:h\" = { coxian = [2, 4], further = [0.5] }
\"p:i\" = { empirical = \"log.csv\" }
";

    fn change(name: &str, value: &str) -> Result<String, RewriteError> {
        rewritten(STUDY, &[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn only_the_value_changes() {
        let cases = [
            ("DEPTH", "4", "DEPTH = 2 ", "DEPTH = 4 "),
            ("NAME", "a\"b", "\"x\"", "\"a\\\"b\""),
            ("p:a", "2.5", "\"p:a\" = 1", "\"p:a\" = 2.5"),
            ("p:b", "5", "\"4 KiB at 1 GB/s\"", "5"),
            ("p:c", "300", "[ 200, \"0.2 ms\" ]", "[ 300, \"0.3 ms\" ]"),
            ("p:d", "1500", "\"2ms\"", "\"1.5ms\""),
            ("p:e", "5", "normal = 10, deviation = 2", "normal = 5, deviation = 1"),
            ("p:f", "8", "[1, 3]", "[2, 6]"),
            ("p:g", "4", "[1, 3], parts", "[2, 6], parts"),
            ("p:h", "2", "[2, 4]", "[1, 2]"),
        ];
        for (name, value, old, new) in cases {
            // What stands before the name is not meant.
            let start = STUDY.find(name).expect("it is there");
            let expected = format!("{}{}", &STUDY[..start], STUDY[start..].replacen(old, new, 1));
            let expected = if name.starts_with("p:a") { STUDY.replacen(old, new, 1) } else { expected };
            assert_eq!(change(name, value).as_deref(), Ok(expected.as_str()), "{name}");
        }
    }

    #[test]
    fn what_can_not_be_written_is_told() {
        assert!(matches!(change("p:z", "1"), Err(RewriteError::NoEntry(_))));
        assert!(matches!(change("p:i", "1"), Err(RewriteError::NotScalable(_))));
        assert!(matches!(change("p:d", "0"), Err(RewriteError::NotPositive(_))));
        assert!(matches!(change("p:a", "-1"), Err(RewriteError::NotPositive(_))));
        assert!(matches!(change("p:a", "soon"), Err(RewriteError::Quantity(_))));
        assert_eq!(rewritten("x = [", &[]), Err(RewriteError::Unreadable));
    }

    #[test]
    fn numbers_without_end_are_rounded() {
        let text = "[delay]\na = { between = [1, 2] }\n";
        let new = rewritten(text, &[("a".to_owned(), "1".to_owned())]).expect("a text");
        assert_eq!(new, "[delay]\na = { between = [0.666666667, 1.333333333] }\n");
        let small = rewritten("[delay]\na = 1\n", &[("a".to_owned(), "0.0000025".to_owned())]);
        assert_eq!(small.as_deref(), Ok("[delay]\na = 2.5e-6\n"));
    }
}
