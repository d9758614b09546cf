//! Patterns for labels with values.

use std::fmt;

use regex::Regex;

use crate::error::PatternError;

/// A pattern for labels: a gate and values, where `*` stands for any one value, and `…` or nothing for all
/// that follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelPattern {
    gate: String,
    /// `None` for any value; values may have stars inside.
    values: Vec<Option<String>>,
    /// Whether more values may follow.
    open: bool,
}

impl LabelPattern {
    /// Reads a pattern such as `LATENCY !* !1 !*`; a gate alone is meant with all its values.
    pub fn new(text: &str) -> Result<LabelPattern, PatternError> {
        let mut parts = text.split('!').map(str::trim);
        let gate = parts.next().unwrap_or("").to_uppercase();
        let is_name = !gate.is_empty() && gate.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '*');
        if !is_name {
            return Err(PatternError::NoGate(text.to_owned()));
        }
        let values: Vec<Option<String>> = parts
            .map(|part| (part != "*").then(|| part.split_whitespace().collect::<String>().to_uppercase()))
            .collect();
        if values.iter().flatten().any(String::is_empty) {
            return Err(PatternError::NoValue(text.to_owned()));
        }
        Ok(LabelPattern { open: values.is_empty(), gate, values })
    }

    /// Returns whether a label has the gate of the pattern, whatever its values.
    pub fn is_about(&self, label: &str) -> bool {
        fits(&self.gate, &label.split(" !").next().unwrap_or("").to_uppercase())
    }

    /// Returns whether a label fits.
    pub fn fits(&self, label: &str) -> bool {
        let mut parts = label.split(" !");
        let gate = parts.next().unwrap_or("");
        if !fits(&self.gate, &gate.to_uppercase()) {
            return false;
        }
        let mut values = self.values.iter();
        for part in parts {
            match values.next() {
                Some(None) => {}
                Some(Some(wanted)) => {
                    let found = part.split_whitespace().collect::<String>().to_uppercase();
                    if !fits(wanted, &found) {
                        return false;
                    }
                }
                None => return self.open,
            }
        }
        values.next().is_none()
    }
}

/// A value in labels, by which requests are told apart.
#[derive(Clone, Debug)]
pub enum LabelValue {
    /// The value with this number; 1 is the first after the gate.
    Place(usize),
    /// What the group of a regular expression matches, or all of it if it has none.
    Match(Regex),
}

impl LabelValue {
    /// Reads the number of a value, or a regular expression with at most one group.
    pub fn new(text: &str) -> Result<LabelValue, PatternError> {
        if let Ok(place) = text.trim().parse() {
            return if place > 0 { Ok(LabelValue::Place(place)) } else { Err(PatternError::NoPlace) };
        }
        let regex = Regex::new(text).map_err(|error| PatternError::NoExpression(error.to_string()))?;
        // The whole match counts as a group.
        if regex.captures_len() > 2 {
            return Err(PatternError::TooManyGroups(text.to_owned()));
        }
        Ok(LabelValue::Match(regex))
    }

    /// Returns the value that a label has.
    pub fn of<'l>(&self, label: &'l str) -> Option<&'l str> {
        match self {
            LabelValue::Place(place) => label.split(" !").nth(*place).map(str::trim),
            LabelValue::Match(regex) => {
                let found = regex.captures(label)?;
                found.get(1).or_else(|| found.get(0)).map(|found| found.as_str())
            }
        }
    }
}

/// Returns whether a text fits a pattern in which each star stands for anything.
fn fits(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(place) => rest = &rest[place + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl fmt::Display for LabelPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.gate)?;
        self.values.iter().try_for_each(|value| write!(formatter, " !{}", value.as_deref().unwrap_or("*")))
    }
}

#[cfg(test)]
mod tests {
    use super::{LabelPattern, LabelValue};

    #[test]
    fn values_are_found_by_number_or_expression() {
        let of = |value: &str, label: &str| LabelValue::new(value).unwrap().of(label).map(str::to_owned);
        assert_eq!(of("2", "GET !CONS (1, NIL) !7").as_deref(), Some("7"));
        assert_eq!(of("3", "GET !1 !7"), None);
        assert_eq!(of("_([0-9]+)$", "SEND_12").as_deref(), Some("12"));
        assert_eq!(of("[0-9]+", "SEND_12").as_deref(), Some("12"));
        assert_eq!(of("_([0-9]+)$", "SEND"), None);
        assert!(LabelValue::new("0").is_err() && LabelValue::new("(").is_err());
        assert!(LabelValue::new("(a)(b)").is_err());
    }

    #[test]
    fn patterns_fit_labels() {
        let fits = |pattern: &str, label: &str| LabelPattern::new(pattern).unwrap().fits(label);
        assert!(fits("LATENCY !* !* !*", "LATENCY !1 !HIT !0"));
        assert!(!fits("LATENCY !* !* !*", "LATENCY !1 !HIT"));
        assert!(fits("latency", "LATENCY !1 !HIT") && fits("LATENCY", "LATENCY"));
        assert!(fits("GET !CONS (1, NIL)", "GET !CONS(1, NIL)"));
        assert!(fits("GET !MISS*", "GET !MISS_A") && !fits("GET !MISS*", "GET !HIT"));
        assert!(fits("*ET", "GET !1") && !fits("GET", "PUT"));
        assert!(LabelPattern::new("!1").is_err() && LabelPattern::new("A ! !1").is_err());
    }
}
