//! Tables of a study file, and what is wrong with them.

use narrows_source::{Diagnostic, Diagnostics, FileId, Span, closest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Text;

/// Where values are, and where messages go.
pub(crate) struct Reader<'d> {
    pub(crate) file: FileId,
    pub(crate) source: &'d str,
    pub(crate) diagnostics: &'d mut Diagnostics,
    /// Amounts of data by name, which transfers may be of.
    pub(crate) amounts: Vec<(String, String)>,
}

/// A value with its place.
pub(crate) type Value<'i> = Spanned<DeValue<'i>>;

impl Reader<'_> {
    pub(crate) fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.file, range.start, range.end)
    }

    pub(crate) fn wrong(&mut self, code: &'static str, span: Span, title: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, span, title));
    }

    /// Reads a text; its place is without quotes where they are simple.
    pub(crate) fn text(&mut self, value: &Value<'_>, what: &str) -> Option<Text> {
        let span = self.span(value.span());
        let Some(text) = value.get_ref().as_str() else {
            let found = value.get_ref().type_str();
            self.wrong("S0002", span, format!("{what} must be a text in quotes, not {found}"));
            return None;
        };
        let written = self.source.get(value.span()).unwrap_or("");
        let quotes = if written.starts_with("\"\"\"") || written.starts_with("'''") { 3 } else { 1 };
        let inside = span.start as usize + quotes..span.end as usize - quotes.min(span.end as usize);
        let is_simple = self.source.get(inside.clone()) == Some(text);
        Some(Text { text: text.to_owned(), span: if is_simple { self.span(inside) } else { span } })
    }

    /// Returns the place of a key, without quotes.
    pub(crate) fn inside(&self, range: std::ops::Range<usize>) -> Span {
        let is_quoted = self.source.get(range.clone()).is_some_and(|text| text.starts_with(['"', '\'']));
        let by = usize::from(is_quoted && range.len() > 2);
        self.span(range.start + by..range.end - by)
    }

    /// Reads a table.
    pub(crate) fn table<'t, 'i>(&mut self, value: &'t Value<'i>, what: &str) -> Option<&'t DeTable<'i>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            let (span, found) = (self.span(value.span()), value.get_ref().type_str());
            self.wrong("S0002", span, format!("{what} must be a table, not {found}"));
        }
        table
    }

    /// Says which of the keys of a table are not known.
    pub(crate) fn check_keys(&mut self, table: &DeTable<'_>, known: &[&str], what: &str) {
        for key in table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref().as_ref();
            let span = self.span(key.span());
            let mut diagnostic = Diagnostic::error("S0001", span, format!("{what} has no `{name}`"));
            diagnostic = match closest(name, known.iter().copied()) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help(format!("there is {}", listed(known))),
            };
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reads a text of a table that must be there.
    pub(crate) fn needed(&mut self, table: &DeTable<'_>, key: &str, span: Span, what: &str) -> Option<Text> {
        match table.get(key) {
            Some(value) => self.text(value, &format!("`{key}`")),
            None => {
                self.wrong("S0003", span, format!("{what} needs `{key}`"));
                None
            }
        }
    }
}

/// Lists names.
pub(crate) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
