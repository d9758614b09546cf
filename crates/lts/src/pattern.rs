//! Patterns for labels with values.

use std::fmt;

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
    use super::LabelPattern;

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
