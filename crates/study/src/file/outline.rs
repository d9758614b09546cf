//! What a study file says and where, for editors: also of a text that is not finished.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{questions, read};

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The keys that lead to the table it stands in, such as `ask`; places in lists are left out.
    pub table: Vec<String>,
    /// The number of the table among those of a list, such as the third `[[ask]]`.
    pub number: usize,
    /// The key; empty for the values of a list.
    pub key: String,
    /// Where the key stands, without quotes.
    pub key_place: Range<usize>,
    /// The value, if it is a text.
    pub text: Option<String>,
    /// Where the value stands, without quotes if it is a text.
    pub place: Range<usize>,
}

/// Lists the entries of a study, outermost and innermost, in the order of their values' places.
pub fn entries(source: &str) -> Vec<Entry> {
    let (table, _) = DeTable::parse_recoverable(source);
    let mut walk = Walk { source, entries: Vec::new() };
    walk.table(table.get_ref(), &mut Vec::new(), 0);
    walk.entries.sort_by_key(|entry| (entry.place.start, entry.place.end));
    walk.entries
}

/// Returns the keys that a table of a study may have; empty if the user names them.
pub fn keys_of(table: &[String]) -> Vec<&'static str> {
    match table.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => read::keys(),
        ["ask"] => questions::keys(),
        ["ask", "latency" | "period"] => vec!["from", "to", "order", "by"],
        ["ask", "min_delay" | "max_delay" | "delay" | "mean_delay"] => vec!["from", "within", "to"],
        ["ask", "min_count" | "max_count" | "count"] => vec!["of", "from", "within", "to"],
        ["ask", "mean_count"] => vec!["of", "per"],
        ["ask", "transient"] => vec!["of", "at"],
        _ => Vec::new(),
    }
}

struct Walk<'s> {
    source: &'s str,
    entries: Vec<Entry>,
}

impl Walk<'_> {
    fn table(&mut self, table: &DeTable<'_>, path: &mut Vec<String>, number: usize) {
        for (key, value) in table {
            let name = key.get_ref().to_string();
            self.entry(&name, self.inside(key.span()), value, path, number);
            path.push(name);
            self.inner(value, path, number);
            path.pop();
        }
    }

    fn inner(&mut self, value: &Spanned<DeValue<'_>>, path: &mut Vec<String>, number: usize) {
        match value.get_ref() {
            DeValue::Table(table) => self.table(table, path, number),
            DeValue::Array(list) => {
                for (number, value) in list.iter().enumerate() {
                    let start = value.span().start;
                    if value.get_ref().is_str() {
                        self.entry("", start..start, value, path, number);
                    }
                    self.inner(value, path, number);
                }
            }
            _ => {}
        }
    }

    fn entry(
        &mut self,
        key: &str,
        key_place: Range<usize>,
        value: &Spanned<DeValue<'_>>,
        path: &[String],
        number: usize,
    ) {
        let text = value.get_ref().as_str().map(str::to_owned);
        let place = if text.is_some() { self.inside(value.span()) } else { value.span() };
        let (table, key) = (path.to_vec(), key.to_owned());
        self.entries.push(Entry { table, number, key, key_place, text, place });
    }

    /// Returns a place without its quotes.
    fn inside(&self, place: Range<usize>) -> Range<usize> {
        let written = self.source.get(place.clone()).unwrap_or("");
        let quotes = match written {
            text if text.len() >= 6 && (text.starts_with("\"\"\"") || text.starts_with("'''")) => 3,
            text if text.len() >= 2 && text.starts_with(['"', '\'']) => 1,
            _ => 0,
        };
        place.start + quotes..place.end - quotes
    }
}

#[cfg(test)]
mod tests {
    use super::entries;

    #[test]
    fn entries_have_places() {
        let text = "model = \"a.pml\"\n[delay]\n\"host:go\" = { fixed = 2 }\n[[ask]]\nthroughput = \"done\"\n\
                    [[ask]]\noverlap = [\"dma\", \"cpu\"]\n";
        let shown: Vec<String> = entries(text)
            .iter()
            .map(|entry| {
                let at = |place: &std::ops::Range<usize>| text[place.clone()].replace('\n', " ");
                format!(
                    "{}/{} {}={}",
                    entry.table.join("."),
                    entry.number,
                    at(&entry.key_place),
                    at(&entry.place)
                )
            })
            .filter(|line| !line.contains(['[', '{']) || line.contains("overlap"))
            .collect();
        for expected in [
            "/0 model=a.pml",
            "delay.host:go/0 fixed=2",
            "ask/0 throughput=done",
            "ask.overlap/0 =dma",
            "ask.overlap/1 =cpu",
        ] {
            assert!(shown.iter().any(|line| line == expected), "no {expected} in {shown:#?}");
        }
    }

    #[test]
    fn unfinished_texts_have_entries() {
        let text = "model = \"a.pml\"\nunit = \n[[ask]]\nthroughput = \"do";
        assert!(entries(text).iter().any(|entry| entry.text.as_deref() == Some("a.pml")));
        for cut in 0..text.len() {
            entries(&text[..cut]);
        }
    }
}
