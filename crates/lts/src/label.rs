//! What a label says: an action, and when or how likely it happens.

use crate::error::LabelError;

/// The text of a label, taken apart as CADP does it: `action`, `rate 2.5`, `action; rate 2.5`, `prob 0.5`,
/// `action; prob 0.5`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label<'a> {
    /// What can be seen; `None` if it is internal, or only time or chance.
    pub action: Option<&'a str>,
    /// When it happens.
    pub timing: LabelTiming,
    /// The rate or the probability as it is written.
    pub number: Option<&'a str>,
}

/// When an edge is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LabelTiming {
    /// As soon as whoever takes part agrees.
    Immediate,
    /// After an exponential delay with this rate.
    Rate(f64),
    /// At once, with this probability.
    Probability(f64),
}

/// The text of the internal action.
pub(crate) const INTERNAL: &str = "i";

impl<'a> Label<'a> {
    /// Takes a label apart; the error says what is wrong with its number.
    pub fn parse(text: &'a str) -> Result<Label<'a>, LabelError> {
        let (action, last) = match text.rsplit_once(';') {
            Some((action, last)) => (Some(action.trim_end()), last.trim_start()),
            None => (None, text.trim_start()),
        };
        let timed = match last.split_once(char::is_whitespace) {
            Some(("rate", number)) => Some((LabelTiming::Rate(parse_rate(number)?), number)),
            Some(("prob", number)) => Some((LabelTiming::Probability(parse_probability(number)?), number)),
            _ => None,
        };
        let (action, timing, number) = match timed {
            Some((timing, number)) => (action, timing, Some(number.trim())),
            None => (Some(text), LabelTiming::Immediate, None),
        };
        Ok(Label { action: action.filter(|action| !is_internal(action)), timing, number })
    }

    /// Returns whether it is an internal step that takes no time.
    pub fn is_internal(&self) -> bool {
        self.action.is_none() && self.timing == LabelTiming::Immediate
    }
}

/// Returns whether the text of a label is that of the internal action; other programs write `tau`.
pub(crate) fn is_internal(text: &str) -> bool {
    text == INTERNAL || text == "tau"
}

fn parse_rate(text: &str) -> Result<f64, LabelError> {
    match parse_number(text)? {
        rate if rate > 0.0 && rate.is_finite() => Ok(rate),
        rate => Err(LabelError::NoRate(rate)),
    }
}

fn parse_probability(text: &str) -> Result<f64, LabelError> {
    match parse_number(text)? {
        probability if probability > 0.0 && probability <= 1.0 => Ok(probability),
        probability => Err(LabelError::NoProbability(probability)),
    }
}

fn parse_number(text: &str) -> Result<f64, LabelError> {
    text.trim().parse().map_err(|_| LabelError::NoNumber(text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{Label, LabelTiming};

    #[test]
    fn labels_are_taken_apart() {
        let parse = |text| Label::parse(text).unwrap();
        let check = |text, action, timing, number| {
            assert_eq!(parse(text), Label { action, timing, number });
        };
        assert!(parse("i").is_internal() && parse("tau").is_internal());
        check("PUT !1", Some("PUT !1"), LabelTiming::Immediate, None);
        check("rate 2.5", None, LabelTiming::Rate(2.5), Some("2.5"));
        check("GET; rate  1e-3 ", Some("GET"), LabelTiming::Rate(1e-3), Some("1e-3"));
        check("A ; B; prob 0.25", Some("A ; B"), LabelTiming::Probability(0.25), Some("0.25"));
        check("rate", Some("rate"), LabelTiming::Immediate, None);
        check("a; b", Some("a; b"), LabelTiming::Immediate, None);
    }

    #[test]
    fn wrong_numbers_are_errors() {
        for text in ["rate 0", "rate -1", "rate inf", "rate x", "prob 1.5", "a; prob 0"] {
            assert!(Label::parse(text).is_err(), "{text}");
        }
    }
}
