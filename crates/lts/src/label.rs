//! What a label says: an action, and when or how likely it happens.

/// The text of a label, taken apart as CADP does it: `action`, `rate 2.5`, `action; rate 2.5`, `prob 0.5`,
/// `action; prob 0.5`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label<'a> {
    /// What can be seen; `None` if it is internal, or only time or chance.
    pub action: Option<&'a str>,
    /// When it happens.
    pub pace: Pace,
}

/// When an edge is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
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
    pub fn parse(text: &'a str) -> Result<Label<'a>, String> {
        let (action, timing) = match text.rsplit_once(';') {
            Some((action, timing)) => (Some(action.trim_end()), timing.trim_start()),
            None => (None, text.trim_start()),
        };
        let pace = match timing.split_once(char::is_whitespace) {
            Some(("rate", number)) => Some(Pace::Rate(parse_rate(number)?)),
            Some(("prob", number)) => Some(Pace::Probability(parse_probability(number)?)),
            _ => None,
        };
        let (action, pace) = match pace {
            Some(pace) => (action, pace),
            None => (Some(text), Pace::Immediate),
        };
        Ok(Label { action: action.filter(|action| !is_internal(action)), pace })
    }

    /// Returns whether it is an internal step that takes no time.
    pub fn is_internal(&self) -> bool {
        self.action.is_none() && self.pace == Pace::Immediate
    }
}

/// Returns whether the text of a label is that of the internal action; other programs write `tau`.
pub(crate) fn is_internal(text: &str) -> bool {
    text == INTERNAL || text == "tau"
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        rate if rate > 0.0 && rate.is_finite() => Ok(rate),
        rate => Err(format!("`{rate}` is no rate: it must be above 0 and finite")),
    }
}

fn parse_probability(text: &str) -> Result<f64, String> {
    match parse_number(text)? {
        probability if probability > 0.0 && probability <= 1.0 => Ok(probability),
        probability => Err(format!("`{probability}` is no probability: it must be above 0 and at most 1")),
    }
}

fn parse_number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("`{}` is no number", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::{Label, Pace};

    #[test]
    fn labels_are_taken_apart() {
        let parse = |text| Label::parse(text).unwrap();
        assert_eq!(parse("PUT !1"), Label { action: Some("PUT !1"), pace: Pace::Immediate });
        assert!(parse("i").is_internal() && parse("tau").is_internal());
        assert_eq!(parse("rate 2.5"), Label { action: None, pace: Pace::Rate(2.5) });
        assert_eq!(parse("GET; rate 1e-3"), Label { action: Some("GET"), pace: Pace::Rate(1e-3) });
        assert_eq!(parse("A ; B; prob 0.25"), Label { action: Some("A ; B"), pace: Pace::Probability(0.25) });
        assert_eq!(parse("rate"), Label { action: Some("rate"), pace: Pace::Immediate });
        assert_eq!(parse("a; b"), Label { action: Some("a; b"), pace: Pace::Immediate });
    }

    #[test]
    fn wrong_numbers_are_errors() {
        for text in ["rate 0", "rate -1", "rate inf", "rate x", "prob 1.5", "a; prob 0"] {
            assert!(Label::parse(text).is_err(), "{text}");
        }
    }
}
