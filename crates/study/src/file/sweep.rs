//! What a study varies: constants of the model, and delays.

use narrows_performance::{Delay, Time};
use narrows_source::{Diagnostic, closest};
use thiserror::Error;
use toml::de::DeTable;

use super::quantity::{self, QuantityError, bits};
use super::read::{constant, written};
use super::table::{Reader, Value};
use super::{Ask, DelayEntry, Question, Study, Text, View};
use crate::coherence;

/// Why a delay is not changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChangeError {
    /// It does not say what is to take how long.
    #[error("`{0}` changes nothing; write it as \"proctype:label=time\" or \"CONSTANT=value\"")]
    NoChange(String),
    /// The time is none.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    /// The time is below 0.
    #[error("a time must not be below 0")]
    Negative,
    /// The study has no such delay.
    #[error("the study gives no delay to \
             `{place}`{}", .near.as_ref().map_or_else(String::new, |near| format!("; did you mean \
                                                                                   `{near}`?")))]
    NoDelay {
        /// The place that was named.
        place: String,
        /// One that may be meant.
        near: Option<String>,
    },
}

/// Something that is varied, and the values it takes.
#[derive(Clone, Debug)]
pub struct Axis {
    /// A constant of the model, or the place of a delay.
    pub name: Text,
    /// Its values, as they are written.
    pub labels: Vec<String>,
    /// Its values.
    pub values: Values,
}

/// Values that are taken one after the other.
#[derive(Clone, Debug)]
pub enum Values {
    /// Of a constant.
    Constants(Vec<String>),
    /// How long something takes, or its mean.
    Delays(Vec<Time>),
    /// Of something that is said about caches.
    Caches(Vec<Text>),
    /// Of an amount of data, with the delays that follow from each.
    Amounts(Vec<(Text, Vec<DelayEntry>)>),
}

/// A study with one combination of values.
#[derive(Clone, Debug)]
pub struct Variant {
    /// What is varied, and its value here, in the order of the study.
    pub settings: Vec<(String, String)>,
    /// The study, with these values.
    pub study: Study,
}

/// A sweep has at most so many variants.
const MAX_VARIANTS: usize = 10_000;

impl Reader<'_> {
    /// Reads what is varied.
    pub(super) fn sweep(&mut self, table: &DeTable<'_>, study: &mut Study) {
        let Some(entries) = table.get("sweep").and_then(|value| self.table(value, "`sweep`")) else { return };
        for (name, value) in entries {
            let span = self.span(name.span());
            let name = Text { text: name.get_ref().to_string(), span };
            let span = self.span(value.span());
            let Some(list) = value.get_ref().as_array().filter(|list| !list.is_empty()) else {
                self.wrong("S0010", span, "a sweep needs a list of values");
                continue;
            };
            let labels: Vec<String> = list
                .iter()
                .map(|value| constant(value.get_ref(), study.form()).or_else(|| written(value)))
                .map(Option::unwrap_or_default)
                .collect();
            let layer = name.text.split('.').next().unwrap_or("");
            let values = if coherence::KEYS.contains(&layer) {
                let place = |text: &String, value: &Value<'_>| Text {
                    text: text.clone(),
                    span: self.span(value.span()),
                };
                let texts: Vec<Text> =
                    labels.iter().zip(list).map(|(text, value)| place(text, value)).collect();
                let can_be_set = |text: &Text| {
                    study.coherence.clone().is_some_and(|mut layer| layer.set(&name.text, text))
                };
                if !texts.iter().all(can_be_set) {
                    let title = format!("`{}` can't be varied like that", name.text);
                    let help = "of what is said about caches, `coherence`, `coherence.phases` and \
                                `mapping.NAME` can be varied";
                    self.diagnostics.push(Diagnostic::error("S0010", name.span, title).help(help));
                    continue;
                }
                Values::Caches(texts)
            } else if study.amounts.iter().any(|(known, _)| known.text == name.text) {
                Values::Amounts(list.iter().map(|value| self.amount(table, study, &name, value)).collect())
            } else if name.text.contains(':') {
                if !study.delays.iter().any(|entry| entry.place.text == name.text) {
                    let names = study.delays.iter().map(|entry| entry.place.text.as_str());
                    let title = format!("there is no delay of `{}` to be varied", name.text);
                    let diagnostic = Diagnostic::error("S0010", name.span, title);
                    self.diagnostics.push(match closest(&name.text, names) {
                        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                        None => diagnostic.help("give it one under `[delay]`"),
                    });
                }
                let times: Vec<Time> =
                    list.iter().filter_map(|value| self.time(value, &study.unit)).collect();
                if times.len() < list.len() {
                    continue;
                }
                Values::Delays(times)
            } else {
                if list.iter().any(|value| constant(value.get_ref(), study.form()).is_none()) {
                    let title = "the values of a constant are whole numbers, texts or truth values";
                    self.wrong("S0010", span, title);
                    continue;
                }
                Values::Constants(labels.clone())
            };
            study.sweep.push(Axis { name, labels, values });
        }
        study.sweep.sort_by_key(|axis| axis.name.span.start);
        let variants = study.sweep.iter().map(|axis| axis.labels.len()).try_fold(1, usize::checked_mul);
        if variants.is_none_or(|variants| variants > MAX_VARIANTS) {
            let span = study.sweep[0].name.span;
            self.wrong(
                "S0010",
                span,
                format!("there are more than {MAX_VARIANTS} combinations of these values"),
            );
            study.sweep.clear();
        }
    }
}

impl Reader<'_> {
    /// Reads an amount of data, and how long everything takes with it.
    fn amount(
        &mut self,
        table: &DeTable<'_>,
        study: &Study,
        name: &Text,
        value: &Value<'_>,
    ) -> (Text, Vec<DelayEntry>) {
        let amount = self.text(value, "an amount of data").unwrap_or_default();
        let amounts = study.amounts.iter().map(|(known, usual)| {
            let one = if known.text == name.text { &amount } else { usual };
            (known.clone(), one.clone())
        });
        let mut varied = Study { unit: study.unit.clone(), model: study.model.clone(), ..Study::default() };
        if let Err(wrong) = bits(&amount.text) {
            self.wrong("S0005", amount.span, wrong.to_string());
            return (amount, Vec::new());
        }
        let pairs = amounts.map(|(known, one)| (known.text, one.text)).collect();
        let usual = std::mem::replace(&mut self.amounts, pairs);
        self.delays(table, &mut varied);
        self.amounts = usual;
        (amount, varied.delays)
    }
}

impl Ask {
    /// Returns whether delays can make a difference to the answer.
    fn depends_on_time(&self) -> bool {
        match self.question {
            Question::Ltl(_)
            | Question::Ctl(_)
            | Question::Mu(_)
            | Question::Invariant(_)
            | Question::Deadlock
            | Question::Equivalence(_)
            | Question::Size(_) => false,
            Question::Overlap(..) => self.view == Some(View::Timed),
            _ => self.view != Some(View::Untimed),
        }
    }
}

impl Study {
    /// Returns the study with each combination of values that the sweep names; none if there is no sweep.
    pub fn variants(&self) -> Vec<Variant> {
        if self.sweep.is_empty() {
            return Vec::new();
        }
        let mut plain = Study { sweep: Vec::new(), ..self.clone() };
        // A list in order of size is no column of a table.
        plain.asks.retain(|ask| !matches!(ask.question, Question::MissTime(_)));
        if self.sweep.iter().all(|axis| matches!(axis.values, Values::Delays(_) | Values::Amounts(_))) {
            plain.asks.retain(Ask::depends_on_time);
        }
        let mut variants = vec![Variant { settings: Vec::new(), study: plain }];
        for axis in &self.sweep {
            let mut next = Vec::new();
            for variant in &variants {
                for (number, label) in axis.labels.iter().enumerate() {
                    let mut variant = variant.clone();
                    variant.settings.push((axis.name.text.clone(), label.clone()));
                    match &axis.values {
                        Values::Constants(values) => {
                            variant.study.set_constant(&axis.name, &values[number]);
                        }
                        Values::Caches(texts) => {
                            if let Some(layer) = &mut variant.study.coherence {
                                layer.set(&axis.name.text, &texts[number]);
                            }
                        }
                        Values::Amounts(amounts) => {
                            let (amount, delays) = &amounts[number];
                            variant.study.delays.clone_from(delays);
                            let amounts = variant.study.amounts.iter_mut();
                            for (_, one) in amounts.filter(|(name, _)| name.text == axis.name.text) {
                                one.clone_from(amount);
                            }
                        }
                        Values::Delays(times) => {
                            variant.study.set_delay(&axis.name.text, times[number]);
                        }
                    }
                    next.push(variant);
                }
            }
            variants = next;
        }
        variants
    }

    /// Gives a constant another value.
    pub fn set_constant(&mut self, name: &Text, value: &str) {
        self.constants.retain(|(known, _)| known.text != name.text);
        self.constants.push((name.clone(), value.to_owned()));
    }

    /// Makes a delay take another time: its mean, if it is random; a range is scaled so that its middle is
    /// there. Returns whether there is such a delay.
    pub fn set_delay(&mut self, place: &str, time: Time) -> bool {
        let Some(entry) = self.delays.iter_mut().find(|entry| entry.place.text == place) else {
            return false;
        };
        let mean = entry.delay.mean();
        entry.delay = match &entry.delay {
            delay if mean > Time::from_integer(0) => delay.scaled(time / mean),
            _ => Delay::Fixed(time),
        };
        true
    }

    /// Makes a delay take another time, such as `100` or `0.2 ms`.
    ///
    /// # Errors
    ///
    /// There may be no such delay, and the time may be none.
    pub fn change_delay(&mut self, place: &str, time: &str) -> Result<(), ChangeError> {
        let time = quantity::time(time, &self.unit)?;
        if time < Time::from_integer(0) {
            return Err(ChangeError::Negative);
        }
        if self.set_delay(place, time) {
            return Ok(());
        }
        let names = || self.delays.iter().map(|entry| entry.place.text.as_str());
        let near = self.delay_of_label(place).or_else(|| closest(place, names()));
        Err(ChangeError::NoDelay { place: place.to_owned(), near: near.map(str::to_owned) })
    }

    /// Returns whether a change of something can only be meant for a constant of the model: nothing like a
    /// delay has this name.
    pub fn is_constant(&self, name: &str) -> bool {
        let is_given = self.constants.iter().any(|(known, _)| known.text == name);
        let is_delay = self.delays.iter().any(|entry| entry.place.text == name);
        !is_delay && (is_given || (!name.contains(':') && self.delay_of_label(name).is_none()))
    }

    /// Returns the delay whose place ends with a label.
    fn delay_of_label(&self, label: &str) -> Option<&str> {
        let mut names = self.delays.iter().map(|entry| entry.place.text.as_str());
        names.find(|name| name.rsplit(':').next() == Some(label))
    }
}
