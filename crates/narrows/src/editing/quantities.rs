//! What of a study can be varied by hand: its delays and constants.

use narrows_performance::as_f64;

use crate::StudyText;

/// A delay or a constant of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// The place of the delay, or the name of the constant.
    pub name: String,
    /// How long the delay takes, or its mean; the constant, if it is a number.
    pub value: Option<f64>,
    /// The value as it is written in a change.
    pub text: String,
    /// Of a delay, how it is distributed; `None` for a constant.
    pub distribution: Option<&'static str>,
}

impl StudyText {
    /// Returns the delays and constants of the study as they are now, in its order.
    pub fn quantities(&self) -> Vec<Quantity> {
        let delays = self.study.delays.iter().map(|entry| {
            let mean = as_f64(entry.delay.mean());
            Quantity {
                name: entry.place.text.clone(),
                // What was measured is read with the model.
                value: entry.samples.is_none().then_some(mean),
                text: mean.to_string(),
                distribution: Some(entry.delay.kind()),
            }
        });
        let constants = self.study.constants.iter().map(|(name, value)| Quantity {
            name: name.text.clone(),
            value: value.trim().parse().ok(),
            text: value.clone(),
            distribution: None,
        });
        delays.chain(constants).collect()
    }
}
