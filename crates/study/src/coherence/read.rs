//! Reads a coherence table.

use narrows_source::{Diagnostics, FileId, Sources, Span, closest};
use toml::de::{DeTable, DeValue};

use super::protocol::{Access, Holds, Others, Protocol, Row, Source, State, States};
use crate::file::{Reader, Value, listed};

const KEYS: [&str; 6] = ["title", "states", "initial", "load", "store", "test_and_set"];
const ROW: [&str; 8] =
    ["own", "others", "becomes", "others_become", "transfer", "from", "write_back", "update"];
const HOLDS: [&str; 3] = ["none", "shared", "exclusive"];

/// Reads a table; `None` if something is wrong with it.
pub(crate) fn read(sources: &Sources, file: FileId, diagnostics: &mut Diagnostics) -> Option<Protocol> {
    let source = sources.file(file).text.clone();
    let (table, errors) = DeTable::parse_recoverable(&source);
    let mut reader = Reader { file, source: &source, diagnostics, amounts: Vec::new() };
    for error in &errors {
        let span = reader.span(error.span().unwrap_or(0..0));
        reader.wrong("S0000", span, error.message().trim_end().to_owned());
    }
    let protocol = reader.protocol(table.get_ref());
    protocol.filter(|_| errors.is_empty() && !diagnostics.has_errors())
}

impl Reader<'_> {
    fn protocol(&mut self, table: &DeTable<'_>) -> Option<Protocol> {
        self.check_keys(table, &KEYS, "a coherence table");
        let Some(value) = table.get("states") else {
            self.wrong("C0001", self.span(0..0), "a coherence table needs `states`");
            return None;
        };
        let span = self.span(value.span());
        let states = self.states(value)?;
        let mut protocol = Protocol {
            initial: states.iter().position(|state| state.holds == Holds::Nothing).unwrap_or(0) as u8,
            states,
            transfers: vec!["hit".to_owned()],
            rows: Vec::new(),
            span,
        };
        if let Some(value) = table.get("initial") {
            protocol.initial = self.one_state(value, &protocol)?;
        }
        let mut is_right = true;
        for access in Access::ALL {
            let Some(value) = table.get(access.name()) else {
                if access != Access::TestAndSet {
                    let title = format!("a coherence table needs rows for `{}`", access.name());
                    self.wrong("C0001", self.span(0..0), title);
                    is_right = false;
                }
                continue;
            };
            let Some(rows) = value.get_ref().as_array() else {
                let title = format!("`{}` must be a list of rows", access.name());
                self.wrong("S0002", self.span(value.span()), title);
                is_right = false;
                continue;
            };
            for row in rows {
                match self.row(row, access, &mut protocol) {
                    Some(row) => protocol.rows.push(row),
                    None => is_right = false,
                }
            }
        }
        is_right.then_some(protocol)
    }

    fn states(&mut self, value: &Value<'_>) -> Option<Vec<State>> {
        let entries = self.table(value, "`states`")?;
        let mut states: Vec<(usize, State)> = Vec::new();
        for (name, value) in entries {
            let text = self.text(value, "what a cache has in a state")?;
            let holds = match text.text.as_str() {
                "none" => Holds::Nothing,
                "shared" => Holds::Shared,
                "exclusive" => Holds::Exclusive,
                _ => {
                    let title = format!("what a cache has in a state is one of {}", listed(&HOLDS));
                    self.wrong("C0001", text.span, title);
                    return None;
                }
            };
            states.push((name.span().start, State { name: name.get_ref().to_string(), holds }));
        }
        // Tables are sorted by name; people see them in their own order.
        states.sort_by_key(|(start, _)| *start);
        if states.len() > 32 || !states.iter().any(|(_, state)| state.holds == Holds::Nothing) {
            let title = "there are at most 32 states, and in one of them a cache has no copy: `\"none\"`";
            self.wrong("C0001", self.span(value.span()), title);
            return None;
        }
        Some(states.into_iter().map(|(_, state)| state).collect())
    }

    /// Reads the name of a state.
    fn one_state(&mut self, value: &Value<'_>, protocol: &Protocol) -> Option<u8> {
        let text = self.text(value, "a state")?;
        self.state(&text.text, text.span, protocol)
    }

    fn state(&mut self, name: &str, span: Span, protocol: &Protocol) -> Option<u8> {
        let found = protocol.states.iter().position(|state| state.name == name);
        if found.is_none() {
            let names: Vec<&str> = protocol.states.iter().map(|state| state.name.as_str()).collect();
            let near = closest(name, names.iter().copied()).map(|near| format!("; did you mean `{near}`?"));
            let title = format!(
                "there is no state `{name}`{}",
                near.unwrap_or(format!(": there is {}", listed(&names)))
            );
            self.wrong("C0001", span, title);
        }
        found.map(|state| state as u8)
    }

    /// Reads a state, or a list of states.
    fn set(&mut self, value: &Value<'_>, protocol: &Protocol) -> Option<States> {
        match value.get_ref() {
            DeValue::Array(list) => {
                let mut set = 0;
                for one in list {
                    set |= 1 << self.one_state(one, protocol)?;
                }
                Some(set)
            }
            _ => Some(1 << self.one_state(value, protocol)?),
        }
    }

    fn row(&mut self, value: &Value<'_>, access: Access, protocol: &mut Protocol) -> Option<Row> {
        let span = self.span(value.span());
        let entry = self.table(value, "a row")?;
        self.check_keys(entry, &ROW, "a row");
        let all: States = (1u64 << protocol.states.len()).wrapping_sub(1) as States;
        let own = match entry.get("own") {
            Some(value) => self.set(value, protocol)?,
            None => all,
        };
        let others = match entry.get("others") {
            Some(value) => self.others(value, protocol)?,
            None => Others::default(),
        };
        let becomes = match entry.get("becomes") {
            Some(value) => Some(self.one_state(value, protocol)?),
            None => None,
        };
        let others_become = match entry.get("others_become") {
            Some(value) => self.others_become(value, protocol)?,
            None => (0..protocol.states.len() as u8).collect(),
        };
        let name = self.needed(entry, "transfer", span, "a row")?;
        let transfer = protocol.transfers.iter().position(|known| *known == name.text).unwrap_or_else(|| {
            protocol.transfers.push(name.text.clone());
            protocol.transfers.len() - 1
        });
        let source = match entry.get("from") {
            None if transfer == 0 => Source::Own,
            None => Source::Memory,
            Some(value) => match value.get_ref().as_str() {
                Some("own") => Source::Own,
                Some("memory") => Source::Memory,
                _ => Source::Cache(self.set(value, protocol)?),
            },
        };
        if transfer == 0 && source != Source::Own {
            self.wrong(
                "C0001",
                span,
                "a hit is what comes from the own cache: give the transfer another name",
            );
            return None;
        }
        let write_back = self.truth(entry, "write_back")?;
        let update = self.truth(entry, "update")?;
        Some(Row { access, own, others, becomes, others_become, transfer, source, write_back, update, span })
    }

    fn others(&mut self, value: &Value<'_>, protocol: &Protocol) -> Option<Others> {
        let entry = self.table(value, "`others`")?;
        self.check_keys(entry, &["all", "some", "none"], "`others`");
        let mut others = Others::default();
        for (key, place) in [("all", &mut others.all), ("some", &mut others.some), ("none", &mut others.none)]
        {
            if let Some(value) = entry.get(key) {
                *place = Some(self.set(value, protocol)?);
            }
        }
        Some(others)
    }

    fn others_become(&mut self, value: &Value<'_>, protocol: &Protocol) -> Option<Vec<u8>> {
        if value.get_ref().as_str().is_some() {
            let state = self.one_state(value, protocol)?;
            return Some(vec![state; protocol.states.len()]);
        }
        let entry = self.table(value, "`others_become`")?;
        let mut next: Vec<u8> = (0..protocol.states.len() as u8).collect();
        for (name, value) in entry {
            let before = self.state(name.get_ref(), self.span(name.span()), protocol)?;
            next[usize::from(before)] = self.one_state(value, protocol)?;
        }
        Some(next)
    }

    fn truth(&mut self, entry: &DeTable<'_>, key: &str) -> Option<bool> {
        match entry.get(key).map(|value| (value.get_ref(), value.span())) {
            None => Some(false),
            Some((DeValue::Boolean(truth), _)) => Some(*truth),
            Some((_, span)) => {
                self.wrong("S0002", self.span(span), format!("`{key}` is `true` or `false`"));
                None
            }
        }
    }
}
