//! What a study says about caches: the table, where processes run, where variables live, and how long
//! transfers take.

use narrows_performance::{Delay, Time};
use narrows_source::Span;
use toml::de::{DeTable, DeValue};

use crate::Text;
use crate::file::{Reader, Value, written};

/// The keys of a study that belong to it.
pub(crate) const KEYS: [&str; 6] = ["coherence", "topology", "mapping", "line", "kind", "latency"];

/// What a study says about caches.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The table: a file beside the study, or one that comes with the program.
    pub table: Text,
    /// In how many phases an access takes place: with two, caches change between them.
    pub phases: u32,
    /// Variables that cost nothing.
    pub private: Vec<Text>,
    /// Kinds of process whose accesses cost nothing.
    pub free: Vec<Text>,
    /// The nodes: parts of a name are levels, from the largest to the smallest.
    pub nodes: Vec<Text>,
    /// Where processes run, and where variables live; several places go to the elements one by one.
    pub mapping: Vec<(Text, Vec<Text>)>,
    /// Variables that share a line.
    pub lines: Vec<(Text, Vec<Text>)>,
    /// What kinds of variables there are.
    pub kinds: Vec<(Text, Vec<Text>)>,
    /// How long each transfer takes, by distance.
    pub latencies: Vec<(Text, Vec<Delay>)>,
    /// Where it is written.
    pub span: Span,
}

impl Layer {
    /// Returns whether all latencies have a least and a greatest value.
    pub fn has_windows(&self) -> bool {
        self.latencies.iter().flat_map(|(_, delays)| delays).all(|delay| delay.window().is_some())
    }

    /// Gives something that is varied another value; returns whether there is such a thing.
    pub(crate) fn set(&mut self, name: &str, value: &Text) -> bool {
        match name.split_once('.') {
            None if name == "coherence" => self.table = value.clone(),
            Some(("coherence", "phases")) => match value.text.parse() {
                Ok(phases @ 1..=2) => self.phases = phases,
                _ => return false,
            },
            Some(("mapping", what)) => match self.mapping.iter_mut().find(|(name, _)| name.text == what) {
                Some((_, places)) => *places = vec![value.clone()],
                None => return false,
            },
            _ => return false,
        }
        true
    }
}

impl Reader<'_> {
    /// Reads what a study says about caches, if it does.
    pub(crate) fn layer(&mut self, table: &DeTable<'_>, unit: &str) -> Option<Layer> {
        let Some((key, value)) = table.get_key_value("coherence") else {
            for key in table.keys().filter(|key| KEYS.contains(&key.get_ref().as_ref())) {
                let title = format!(
                    "`{}` is about caches: name a table with `coherence = \"mesi-a\"`",
                    key.get_ref()
                );
                self.wrong("S0003", self.span(key.span()), title);
            }
            return None;
        };
        let span = self.span(key.span());
        let (mut phases, mut private, mut free) = (1, Vec::new(), Vec::new());
        let name = if value.get_ref().as_str().is_some() {
            self.text(value, "`coherence`")?
        } else {
            let entry = self.table(value, "`coherence`")?;
            self.check_keys(entry, &["table", "phases", "private", "free"], "`coherence`");
            private = entry.get("private").map_or_else(Vec::new, |value| self.names(value));
            free = entry.get("free").map_or_else(Vec::new, |value| self.names(value));
            if let Some(value) = entry.get("phases") {
                match written(value).as_deref() {
                    Some("1") => {}
                    Some("2") => phases = 2,
                    _ => self.wrong("S0005", self.span(value.span()), "`phases` is 1 or 2"),
                }
            }
            self.needed(entry, "table", span, "`coherence`")?
        };
        let nodes = match table.get("topology").and_then(|value| self.table(value, "`topology`")) {
            Some(entry) => {
                self.check_keys(entry, &["nodes"], "`topology`");
                entry.get("nodes").map_or_else(Vec::new, |value| self.names(value))
            }
            None => Vec::new(),
        };
        let mapping = self.lists(table, "mapping");
        let lines = self.lists(table, "line");
        let kinds = self.lists(table, "kind");
        let latencies = self.latencies(table, unit);
        Some(Layer { table: name, phases, private, free, nodes, mapping, lines, kinds, latencies, span })
    }

    /// Reads a text, or a list of texts.
    pub(crate) fn names(&mut self, value: &Value<'_>) -> Vec<Text> {
        match value.get_ref() {
            DeValue::Array(list) => list.iter().filter_map(|value| self.text(value, "a name")).collect(),
            _ => self.text(value, "a name").into_iter().collect(),
        }
    }

    /// Reads a table of names, each with a text or a list of texts.
    pub(crate) fn lists(&mut self, table: &DeTable<'_>, key: &str) -> Vec<(Text, Vec<Text>)> {
        let Some(entries) = table.get(key).and_then(|value| self.table(value, &format!("`{key}`"))) else {
            return Vec::new();
        };
        let mut lists = Vec::new();
        for (name, value) in entries {
            let name = Text { text: name.get_ref().to_string(), span: self.span(name.span()) };
            lists.push((name, self.names(value)));
        }
        // Tables are sorted by name; people see them in their own order.
        lists.sort_by_key(|(name, _): &(Text, _)| name.span.start);
        lists
    }

    fn latencies(&mut self, table: &DeTable<'_>, unit: &str) -> Vec<(Text, Vec<Delay>)> {
        let Some(entries) = table.get("latency").and_then(|value| self.table(value, "`latency`")) else {
            return Vec::new();
        };
        let mut latencies = Vec::new();
        for (name, value) in entries {
            let name = Text { text: name.get_ref().to_string(), span: self.span(name.span()) };
            let delays: Vec<Delay> = match value.get_ref() {
                DeValue::Array(list) => list.iter().filter_map(|value| self.latency(value, unit)).collect(),
                _ => self.latency(value, unit).into_iter().collect(),
            };
            latencies.push((name, delays));
        }
        latencies.sort_by_key(|(name, _): &(Text, _)| name.span.start);
        latencies
    }

    /// Reads a latency: a mean, or a delay of any kind.
    fn latency(&mut self, value: &Value<'_>, unit: &str) -> Option<Delay> {
        if let Some(entry) = value.get_ref().as_table() {
            self.check_keys(entry, &["fixed", "between", "exponential", "erlang", "stages"], "a latency");
            return self.delay(entry, unit, self.span(value.span()));
        }
        let mean = self.time(value, unit)?;
        let none = mean == Time::from_integer(0);
        Some(if none { Delay::Fixed(mean) } else { Delay::Exponential(mean) })
    }
}
