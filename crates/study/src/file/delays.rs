//! Reads the delays of a study.

use std::sync::Arc;

use narrows_performance::{Delay, Distribution, Phases, Time, as_f64};
use narrows_source::Span;
use num_traits::CheckedDiv;
use toml::de::DeTable;

use super::quantity::decimal;
use super::read::written;
use super::table::{Reader, Value, listed};
use super::{DelayEntry, Samples, Study};

impl Reader<'_> {
    pub(super) fn delays(&mut self, table: &DeTable<'_>, study: &mut Study) {
        let Some(entries) = table.get("delay").and_then(|value| self.table(value, "`delay`")) else { return };
        for (name, value) in entries {
            let place = self.place(name.get_ref(), name.span(), study);
            if written(value).is_some() {
                // A time alone is how long it always takes.
                if let Some(time) = self.time(value, &study.unit) {
                    let delay = Delay::Fixed(time);
                    study.delays.push(DelayEntry { place, delay, times: None, over: None, samples: None });
                }
                continue;
            }
            let Some(entry) = self.table(value, "a delay") else { continue };
            self.check_keys(
                entry,
                &[
                    "fixed",
                    "between",
                    "exponential",
                    "erlang",
                    "stages",
                    "normal",
                    "lognormal",
                    "deviation",
                    "weibull",
                    "pareto",
                    "shape",
                    "hyperexponential",
                    "hypererlang",
                    "parts",
                    "hypoexponential",
                    "coxian",
                    "further",
                    "empirical",
                    "column",
                    "times",
                    "over",
                ],
                "a delay",
            );
            let span = self.span(value.span());
            let Some(delay) = self.delay(entry, &study.unit, span) else { continue };
            let times = entry.get("times").and_then(|value| self.text(value, "`times`"));
            let over = entry.get("over").and_then(|value| self.text(value, "`over`"));
            let samples = entry.get("empirical").and_then(|value| self.text(value, "`empirical`"));
            let column = entry.get("column").and_then(|value| self.text(value, "`column`"));
            if let (None, Some(column)) = (&samples, &column) {
                self.wrong("S0005", column.span, "`column` belongs to `empirical`, which names a file");
            }
            let samples = samples.map(|file| Samples { file, column });
            study.delays.push(DelayEntry { place, delay, times, over, samples });
        }
        study.delays.sort_by_key(|entry| entry.place.span.start);
    }

    pub(crate) fn delay(&mut self, entry: &DeTable<'_>, unit: &str, span: Span) -> Option<Delay> {
        let kinds = [
            "fixed",
            "between",
            "exponential",
            "erlang",
            "normal",
            "lognormal",
            "weibull",
            "pareto",
            "hyperexponential",
            "hypererlang",
            "hypoexponential",
            "coxian",
            "empirical",
        ];
        let given: Vec<&str> = kinds.into_iter().filter(|kind| entry.contains_key(*kind)).collect();
        let [kind] = given[..] else {
            self.wrong("S0005", span, format!("a delay needs exactly one of {}", listed(&kinds)));
            return None;
        };
        let value = entry.get(kind)?;
        if kind == "between" {
            let ends: Vec<Time> = match value.get_ref().as_array() {
                Some(list) => list.iter().filter_map(|value| self.time(value, unit)).collect(),
                None => Vec::new(),
            };
            let [least, most] = ends[..] else {
                self.wrong("S0005", self.span(value.span()), "`between` needs a list of two times");
                return None;
            };
            if least > most {
                self.wrong(
                    "S0005",
                    self.span(value.span()),
                    "the second time must not be less than the first",
                );
                return None;
            }
            return Some(Delay::Between(least, most));
        }
        if matches!(kind, "hyperexponential" | "hypererlang" | "hypoexponential" | "coxian") {
            return self.phases(entry, kind, unit, span);
        }
        if kind == "empirical" {
            // The times are read with the model.
            let distribution = Distribution::Empirical(Arc::default());
            return Some(Delay::Drawn(Time::from_integer(1), distribution));
        }
        let mean = self.time(value, unit)?;
        if kind != "fixed" && mean <= Time::from_integer(0) {
            self.wrong("S0005", self.span(value.span()), "the mean of a random delay must be above 0");
            return None;
        }
        match kind {
            "fixed" => Some(Delay::Fixed(mean)),
            "exponential" => Some(Delay::Exponential(mean)),
            "normal" | "lognormal" => {
                let Some(deviation) = entry.get("deviation").and_then(|value| self.time(value, unit)) else {
                    let title = format!("`{kind}` is the mean, and needs a standard `deviation`");
                    self.wrong("S0005", span, title);
                    return None;
                };
                let is_normal = kind == "normal";
                let make = if is_normal { Distribution::Normal } else { Distribution::Lognormal };
                Some(Delay::Drawn(mean, make(deviation)))
            }
            "weibull" | "pareto" => {
                let least = if kind == "pareto" { Time::from_integer(1) } else { Time::new(1, 10) };
                let shape = entry.get("shape").and_then(|value| decimal(&written(value)?));
                let Some(shape) = shape.filter(|shape| *shape > least) else {
                    let title = format!("`{kind}` is the mean, and needs a `shape` above {}", as_f64(least));
                    self.wrong("S0005", span, title);
                    return None;
                };
                let is_weibull = kind == "weibull";
                let make = if is_weibull { Distribution::Weibull } else { Distribution::Pareto };
                Some(Delay::Drawn(mean, make(shape)))
            }
            _ => {
                let stages = entry.get("stages").and_then(|value| decimal(&written(value)?));
                let stages = stages.filter(Time::is_integer).map(|stages| stages.to_integer());
                let Some(stages) =
                    stages.and_then(|stages| u32::try_from(stages).ok()).filter(|stages| *stages > 0)
                else {
                    self.wrong(
                        "S0005",
                        span,
                        "`erlang` is the mean, and needs `stages`, a whole number above 0",
                    );
                    return None;
                };
                if stages > MAX_STAGES {
                    let title = format!("`erlang` takes at most {MAX_STAGES} stages");
                    self.wrong("S0005", span, format!("{title}: with more it is as good as `fixed`"));
                    return None;
                }
                Some(Delay::Erlang(stages, mean))
            }
        }
    }

    /// Reads a delay of several phases.
    fn phases(&mut self, entry: &DeTable<'_>, kind: &str, unit: &str, span: Span) -> Option<Delay> {
        let means = self.list(entry, kind, span, |study, value| study.time(value, unit))?;
        let number = |study: &mut Self, value: &Value<'_>| {
            let number = written(value).and_then(|text| part(&text));
            if number.is_none() {
                let title = "a part is a number such as 0.25, or a fraction such as \"1/3\"";
                study.wrong("S0005", study.span(value.span()), title);
            }
            number
        };
        let (others, wanted) = match kind {
            "hypoexponential" => (None, 0),
            "coxian" => (Some("further"), means.len().saturating_sub(1)),
            _ => (Some("parts"), means.len()),
        };
        let others = match others {
            Some(key) => {
                let others = self.list(entry, key, span, number)?;
                if others.len() != wanted {
                    let title =
                        format!("`{kind}` with {} means needs {wanted} numbers in `{key}`", means.len());
                    self.wrong("S0005", span, title);
                    return None;
                }
                others
            }
            None => vec![Time::from_integer(1); means.len().saturating_sub(1)],
        };
        let mut stages = vec![1; means.len()];
        if kind == "hypererlang" {
            let whole = |study: &mut Self, value: &Value<'_>| {
                let stages = written(value).and_then(|text| text.parse::<u32>().ok());
                if stages.is_none() {
                    study.wrong("S0005", study.span(value.span()), "`stages` are whole numbers above 0");
                }
                stages
            };
            stages = self.list(entry, "stages", span, whole)?;
            if stages.len() != means.len() {
                let title =
                    format!("`hypererlang` with {0} means needs {0} numbers in `stages`", means.len());
                self.wrong("S0005", span, title);
                return None;
            }
        }
        let made = if matches!(kind, "hypoexponential" | "coxian") {
            Phases::row(&means, &others)
        } else {
            let branches = others.iter().zip(&stages).zip(&means);
            let branches: Vec<_> = branches.map(|((part, stages), mean)| (*part, *stages, *mean)).collect();
            Phases::mixture(&branches)
        };
        match made {
            Ok(phases) => Some(Delay::Phases(Arc::new(phases), Time::from_integer(1))),
            Err(error) => {
                self.wrong("S0005", span, format!("`{kind}`: {error}"));
                None
            }
        }
    }

    /// Reads a list, of which each element is right.
    fn list<T>(
        &mut self,
        entry: &DeTable<'_>,
        key: &str,
        span: Span,
        mut each: impl FnMut(&mut Self, &Value<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let list = entry.get(key).and_then(|value| value.get_ref().as_array());
        let Some(list) = list else {
            self.wrong("S0005", span, format!("this delay needs a list `{key}`"));
            return None;
        };
        list.iter().map(|value| each(self, value)).collect()
    }
}

/// More stages vary by less than 1 % of the mean, and each is a state of its own.
const MAX_STAGES: u32 = 10_000;

/// Reads a decimal number or a fraction.
fn part(text: &str) -> Option<Time> {
    let Some((above, below)) = text.split_once('/') else { return decimal(text) };
    let (above, below) = (decimal(above)?, decimal(below)?);
    if below > Time::from_integer(0) { above.checked_div(&below) } else { None }
}
