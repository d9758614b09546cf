//! Reads study files.

use narrows_model::FormKind;
use narrows_performance::{Time, as_f64};
use narrows_source::{Diagnostic, Diagnostics, FileId, Sources, closest};
use toml::de::{DeTable, DeValue};

use super::quantity::{bits, decimal, megabytes_per_second, time};
use super::table::{Reader, Value};
use super::{Ask, Question, ReachKind, RewardEntry, Study, Text};
use crate::coherence;

const KEYS: [&str; 16] = [
    "title",
    "model",
    "unit",
    "reference",
    "constant",
    "define",
    "resource",
    "amount",
    "delay",
    "event",
    "reward",
    "signal",
    "weight",
    "ask",
    "simulation",
    "sweep",
];

/// All keys of a study.
pub(super) fn keys() -> Vec<&'static str> {
    KEYS.into_iter().chain(coherence::KEYS).collect()
}

/// Returns whether a character may be part of a name.
fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns whether a text somewhere in a value has a word in it.
fn mentions(value: &Value<'_>, word: &str) -> bool {
    match value.get_ref() {
        DeValue::String(text) => text.split(|c| !is_part(c)).any(|part| part == word) || text == word,
        DeValue::Array(list) => list.iter().any(|value| mentions(value, word)),
        DeValue::Table(table) => table.values().any(|value| mentions(value, word)),
        _ => false,
    }
}

/// Reads a study; what is wrong with it goes to the diagnostics.
pub fn read(sources: &Sources, file: FileId, diagnostics: &mut Diagnostics) -> Study {
    let source = sources.file(file).text.clone();
    let (table, errors) = DeTable::parse_recoverable(&source);
    let mut reader = Reader { file, source: &source, diagnostics, amounts: Vec::new() };
    for error in errors {
        let span = reader.span(error.span().unwrap_or(0..0));
        reader.wrong("S0000", span, error.message().trim_end().to_owned());
    }
    let (unit, reference) = ("steps".to_owned(), "reference".to_owned());
    let mut study = Study { unit, reference, ..Study::default() };
    reader.study(table.get_ref(), &mut study);
    study
}

impl Reader<'_> {
    fn study(&mut self, table: &DeTable<'_>, study: &mut Study) {
        self.check_keys(table, &keys(), "a study");
        if let Some(title) = table.get("title").and_then(|value| self.text(value, "`title`")) {
            study.title = title.text;
        }
        match table.get("model") {
            Some(value) => study.model = self.text(value, "`model`"),
            None => self.wrong("S0003", self.span(0..0), "a study needs a `model`: the file it is about"),
        }
        if let Some(reference) = table.get("reference").and_then(|value| self.text(value, "`reference`")) {
            study.reference = reference.text;
        }
        match table.get("unit").and_then(|value| self.text(value, "`unit`")) {
            Some(unit) => study.unit = unit.text,
            None if ["delay", "latency"].iter().any(|key| table.get(*key).is_some()) => {
                self.wrong("S0003", self.span(0..0), "a study with delays needs a `unit`, such as \"us\"");
            }
            None if study.form() == FormKind::Synchronous => {
                "cycles".clone_into(&mut study.unit);
            }
            None => {}
        }
        self.constants(table, study);
        study.definitions = self.texts(table, "define");
        study.resources = self.texts(table, "resource");
        study.signals = self.texts(table, "signal");
        self.amounts(table, study);
        self.events(table, study);
        self.delays(table, study);
        study.coherence = self.layer(table, &study.unit);
        self.weights(table, study);
        self.rewards(table, study);
        self.asks(table, study);
        self.check_rewards(study);
        self.simulation(table, study);
        self.sweep(table, study);
        for (name, _) in &study.amounts {
            let is_each = |ask: &Ask| ask.each.as_ref().is_some_and(|each| each.text == name.text);
            let is_carried = study.bytes.iter().any(|(_, bytes)| bytes.text == name.text);
            if !study.asks.iter().any(is_each)
                && !is_carried
                && !self.source.contains(&format!("{} at ", name.text))
            {
                self.wrong("S0012", name.span, format!("nothing is of the amount `{}`", name.text));
            }
        }
        for (_, axis, _) in &study.trends {
            if !study.sweep.iter().any(|known| known.name.text == axis.text) {
                self.wrong("S0010", axis.span, format!("`{}` is not varied under `[sweep]`", axis.text));
            }
        }
        self.look_for_unused(table, study);
    }

    /// Reads what is counted: places, and how much data each event is.
    fn events(&mut self, table: &DeTable<'_>, study: &mut Study) {
        let Some(entries) = table.get("event").and_then(|value| self.table(value, "`event`")) else { return };
        for (name, value) in entries {
            let name = Text { text: name.get_ref().to_string(), span: self.span(name.span()) };
            let Some(entry) = value.get_ref().as_table() else {
                let places = self.names(value);
                study.events.push((name, places));
                continue;
            };
            self.check_keys(entry, &["at", "bytes"], "an event");
            let Some(at) = entry.get("at") else {
                let title = format!("the event `{}` needs `at`: a statement, or a list of them", name.text);
                self.wrong("S0003", name.span, title);
                continue;
            };
            if let Some(bytes) = entry.get("bytes").and_then(|value| self.text(value, "`bytes`")) {
                let named = self.amounts.iter().find(|(known, _)| *known == bytes.text);
                let amount = named.map_or(&bytes.text, |(_, amount)| amount);
                let wrong = match bits(amount) {
                    Err(wrong) => Some(wrong.to_string()),
                    Ok(_) if megabytes_per_second(amount, &study.unit).is_none() => {
                        Some(format!("how many `{}` are in a second is unknown", study.unit))
                    }
                    Ok(_) => None,
                };
                match wrong {
                    Some(wrong) => self.wrong("S0005", bytes.span, wrong),
                    None => study.bytes.push((name.clone(), bytes)),
                }
            }
            let places = self.names(at);
            study.events.push((name, places));
        }
        // Tables are sorted by name; people see them in their own order.
        study.events.sort_by_key(|(name, _)| name.span.start);
    }

    /// Reads what is gained as time passes, and with events.
    fn rewards(&mut self, table: &DeTable<'_>, study: &mut Study) {
        let Some(entries) = table.get("reward").and_then(|value| self.table(value, "`reward`")) else {
            return;
        };
        for (name, value) in entries {
            let name = Text { text: name.get_ref().to_string(), span: self.span(name.span()) };
            let what = format!("the reward `{}`", name.text);
            let Some(entry) = self.table(value, &what) else { continue };
            self.check_keys(entry, &["unit", "rate_reward", "event_reward"], &what);
            let unit = entry.get("unit").and_then(|value| self.text(value, "`unit`"));
            let unit = unit.map_or_else(|| name.text.clone(), |unit| unit.text);
            let rates = self.gained(entry, "rate_reward");
            let events = self.gained(entry, "event_reward");
            if rates.is_empty() && events.is_empty() {
                let title = format!("{what} needs a `rate_reward` or an `event_reward`");
                self.wrong("S0003", name.span, title);
            }
            study.rewards.push(RewardEntry { name, unit, rates, events });
        }
        study.rewards.sort_by_key(|reward| reward.name.span.start);
    }

    /// Reads how much is gained: an expression alone is meant once.
    fn gained(&mut self, entry: &DeTable<'_>, key: &str) -> Vec<(Text, Time)> {
        let Some(value) = entry.get(key) else { return Vec::new() };
        let what = format!("`{key}`");
        if value.get_ref().as_str().is_some() {
            return self.text(value, &what).map(|text| (text, Time::from_integer(1))).into_iter().collect();
        }
        let Some(entries) = self.table(value, &what) else { return Vec::new() };
        let mut list = Vec::new();
        for (name, value) in entries {
            let name = Text { text: name.get_ref().to_string(), span: self.inside(name.span()) };
            match written(value).and_then(|text| decimal(&text)).filter(|amount| *amount >= Time::ZERO) {
                Some(amount) => list.push((name, amount)),
                None => self.wrong("S0005", self.span(value.span()), "a reward is a number of at least 0"),
            }
        }
        list.sort_by_key(|(name, _)| name.span.start);
        list
    }

    /// Makes sure that rewards that are asked for exist, and that all others are asked for.
    fn check_rewards(&mut self, study: &Study) {
        let asked = |ask: &Ask| match &ask.question {
            Question::Reward(of, _) | Question::Reach(ReachKind::Reward(of), _) => Some(of.clone()),
            _ => None,
        };
        let asked: Vec<Text> = study.asks.iter().filter_map(asked).collect();
        for of in &asked {
            if !study.rewards.iter().any(|reward| reward.name.text == of.text) {
                let names = study.rewards.iter().map(|reward| reward.name.text.as_str());
                let error = Diagnostic::error("S0007", of.span, format!("there is no reward `{}`", of.text));
                self.diagnostics.push(match closest(&of.text, names) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error.help(format!("say under `[reward.{}]` when it is gained", of.text)),
                });
            }
        }
        for reward in &study.rewards {
            if !asked.iter().any(|of| of.text == reward.name.text) {
                let title = format!("no question is about the reward `{}`", reward.name.text);
                self.wrong("S0020", reward.name.span, title);
            }
        }
    }

    /// Complains about what makes no difference to anything.
    fn look_for_unused(&mut self, table: &DeTable<'_>, study: &Study) {
        let users = ["define", "resource", "delay", "event", "reward", "signal", "ask"];
        let users: Vec<_> = users.into_iter().filter_map(|key| table.get(key)).collect();
        for (name, _) in &study.definitions {
            let is_gained = |reward: &RewardEntry| {
                reward
                    .rates
                    .iter()
                    .any(|(text, _)| text.text.split(|c| !is_part(c)).any(|part| part == name.text))
            };
            let is_used = users.iter().any(|value| mentions(value, &name.text));
            if !is_used && !study.rewards.iter().any(is_gained) {
                self.wrong("S0020", name.span, format!("nothing uses the definition `{}`", name.text));
            }
        }
        let of_key = |key: &str| table.get_key_value(key).map(|(key, _)| key.span());
        if study.form() != FormKind::Synchronous {
            let asks = table.get("ask").and_then(|value| value.get_ref().as_array());
            let entries = asks.into_iter().flatten().filter_map(|value| value.get_ref().as_table());
            let drawn = entries.filter_map(|entry| entry.get_key_value("draw"));
            for span in of_key("signal").into_iter().chain(drawn.map(|(key, _)| key.span())) {
                self.wrong("S0020", self.span(span), "signals are drawn of runs of SMV models alone");
            }
        }
        let is_compared = study.asks.iter().any(|ask| ask.reference.is_some());
        if let Some(span) = of_key("reference").filter(|_| !is_compared) {
            let title = "no question has a `reference` to be called by this name";
            self.wrong("S0020", self.span(span), title);
        }
    }

    /// Reads how far simulations go.
    fn simulation(&mut self, table: &DeTable<'_>, study: &mut Study) {
        let Some(entry) = table.get("simulation").and_then(|value| self.table(value, "`simulation`")) else {
            return;
        };
        self.check_keys(entry, &["accuracy", "seed", "level"], "`simulation`");
        if let Some(value) = entry.get("level") {
            study.simulation.level = self.text(value, "`level`");
            if study.form() != FormKind::Processes {
                let title = "a level is an expression about processes: only a Promela model has one";
                self.wrong("S0020", self.span(value.span()), title);
            }
        }
        if let Some(value) = entry.get("accuracy") {
            let part = written(value).and_then(|text| {
                let percent = text.trim().strip_suffix('%').map(str::trim);
                let number = as_f64(decimal(percent.unwrap_or(&text))?);
                Some(if percent.is_some() { number / 100.0 } else { number })
            });
            match part.filter(|part| *part > 0.0 && *part < 1.0) {
                Some(part) => study.simulation.accuracy = part,
                None => {
                    let title = "`accuracy` is a part of what comes out, such as \"1 %\"";
                    self.wrong("S0005", self.span(value.span()), title);
                }
            }
        }
        if let Some(value) = entry.get("seed") {
            match written(value).and_then(|text| text.parse().ok()) {
                Some(seed) => study.simulation.seed = seed,
                None => self.wrong("S0005", self.span(value.span()), "`seed` is a whole number from 0 on"),
            }
        }
    }

    /// Reads a table of named texts.
    fn texts(&mut self, table: &DeTable<'_>, key: &str) -> Vec<(Text, Text)> {
        let Some(entries) = table.get(key).and_then(|value| self.table(value, &format!("`{key}`"))) else {
            return Vec::new();
        };
        let mut list = Vec::new();
        for (name, value) in entries {
            let span = self.span(name.span());
            let name = Text { text: name.get_ref().to_string(), span };
            if let Some(text) = self.text(value, &format!("`{}`", name.text)) {
                list.push((name, text));
            }
        }
        // Tables are sorted by name; people see them in their own order.
        list.sort_by_key(|(name, _)| name.span.start);
        list
    }

    fn constants(&mut self, table: &DeTable<'_>, study: &mut Study) {
        let Some(entries) = table.get("constant").and_then(|value| self.table(value, "`constant`")) else {
            return;
        };
        for (name, value) in entries {
            match constant(value.get_ref(), study.form()) {
                Some(text) => {
                    let span = self.span(name.span());
                    let name = Text { text: name.get_ref().to_string(), span };
                    study.constants.push((name, text));
                }
                None => {
                    let title =
                        format!("`{}` must be a whole number, a text or a truth value", name.get_ref());
                    self.wrong("S0002", self.span(value.span()), title);
                }
            }
        }
    }

    /// Reads amounts of data that have names.
    fn amounts(&mut self, table: &DeTable<'_>, study: &mut Study) {
        study.amounts = self.texts(table, "amount");
        for (_, amount) in &study.amounts {
            if let Err(wrong) = bits(&amount.text) {
                self.wrong("S0005", amount.span, wrong.to_string());
            }
        }
        let pair = |(name, amount): &(Text, Text)| (name.text.clone(), amount.text.clone());
        self.amounts = study.amounts.iter().map(pair).collect();
    }

    pub(super) fn place(&mut self, name: &str, range: std::ops::Range<usize>, study: &Study) -> Text {
        let span = self.span(range);
        if !name.contains(':') && !study.is_about_labels() {
            let title = format!("`{name}` names no statement: write `proctype:label`");
            self.wrong("S0004", span, title);
        }
        Text { text: name.to_owned(), span }
    }

    /// Puts an amount in the place of its name in a transfer, such as `packet at 132 MB/s`.
    fn with_amounts(&self, text: &str) -> String {
        let named = text.split_once(" at ").and_then(|(size, rate)| {
            let (_, amount) = self.amounts.iter().find(|(name, _)| name == size.trim())?;
            Some(format!("{amount} at {rate}"))
        });
        named.unwrap_or_else(|| text.to_owned())
    }

    pub(crate) fn time(&mut self, value: &Value<'_>, unit: &str) -> Option<Time> {
        let result = written(value)
            .ok_or_else(|| format!("a time is a number or a text, not {}", value.get_ref().type_str()))
            .and_then(|text| time(&self.with_amounts(&text), unit).map_err(|wrong| wrong.to_string()));
        match result {
            Ok(time) if time >= Time::from_integer(0) => Some(time),
            Ok(_) => {
                self.wrong("S0005", self.span(value.span()), "a time must not be below 0");
                None
            }
            Err(message) => {
                self.wrong("S0005", self.span(value.span()), message);
                None
            }
        }
    }

    fn weights(&mut self, table: &DeTable<'_>, study: &mut Study) {
        let Some(entries) = table.get("weight").and_then(|value| self.table(value, "`weight`")) else {
            return;
        };
        for (name, value) in entries {
            let place = self.place(name.get_ref(), name.span(), study);
            let number = |value: &Value<'_>| -> Option<u32> { written(value)?.parse().ok() };
            let list =
                value.get_ref().as_array().map(|list| list.iter().map(number).collect::<Option<Vec<u32>>>());
            match list.flatten() {
                Some(list) if list.iter().any(|weight| *weight > 0) => study.weights.push((place, list)),
                _ => {
                    let title = "weights are a list of whole numbers, one for each choice, not all 0";
                    self.wrong("S0005", self.span(value.span()), title);
                }
            }
        }
    }
}

/// Returns a number or a text as it is written.
pub(crate) fn written(value: &Value<'_>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}

/// Returns the value of a constant, as the language of the model writes it.
pub(super) fn constant(value: &DeValue<'_>, kind: FormKind) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Boolean(truth) if kind == FormKind::Synchronous => Some(truth.to_string().to_uppercase()),
        DeValue::Boolean(truth) => Some(u8::from(*truth).to_string()),
        _ => None,
    }
}
