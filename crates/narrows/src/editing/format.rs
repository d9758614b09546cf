//! Studies in their usual layout.

use super::document::Document;

/// Returns the text of a study with the usual spaces; `None` if it is not a study, or not TOML.
///
/// Only spaces between tokens and empty lines change: a space on either side of `=`, one after commas and
/// within braces as they are, an empty line before each table, none at the end.
pub fn formatted(document: &Document) -> Option<String> {
    if !document.is_study() {
        return None;
    }
    let text = &document.text;
    let before = meaning(text)?;
    let mut lines: Vec<String> = Vec::new();
    let mut quote: Option<&str> = None;
    for line in text.lines() {
        // What stands between three quotes is kept as it is.
        let inside = quote.is_some();
        let closing = scan(line, &mut quote);
        if inside || closing {
            lines.push(line.to_owned());
            continue;
        }
        let line = spaced(line);
        let is_header = line.starts_with('[');
        if is_header && !lines.is_empty() {
            let comments = lines.iter().rev().take_while(|line| line.starts_with('#')).count();
            let place = lines.len() - comments;
            if place > 0 && !lines[place - 1].is_empty() {
                lines.insert(place, String::new());
            }
        }
        if line.is_empty() && lines.last().is_none_or(String::is_empty) {
            continue;
        }
        lines.push(line);
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let formatted = lines.join("\n") + "\n";
    // A layout never changes what a text means.
    (meaning(&formatted)? == before).then_some(formatted)
}

/// A key in its table, with its value.
type Meaning = (Vec<String>, usize, String, Option<String>);

/// Returns what a text means; `None` if it is not TOML.
fn meaning(text: &str) -> Option<Vec<Meaning>> {
    let mut diagnostics = narrows_source::Diagnostics::default();
    let mut sources = narrows_source::Sources::default();
    let file = sources.add("study.toml", text);
    let _ = narrows_study::read(&sources, file, &mut diagnostics);
    if diagnostics.sorted().iter().any(|diagnostic| diagnostic.code == "S0000") {
        return None;
    }
    let entries = narrows_study::entries(text).into_iter();
    let value = |entry: narrows_study::Entry| {
        let written = text[entry.place.clone()].split_whitespace().collect::<String>();
        let value = entry.text.clone().or_else(|| (!written.starts_with(['{', '['])).then_some(written));
        (entry.table, entry.number, entry.key, value)
    };
    Some(entries.map(value).collect())
}

/// Follows texts in three quotes over a line; returns whether one begins in it.
fn scan(line: &str, quote: &mut Option<&'static str>) -> bool {
    let mut rest = line;
    let mut begins = false;
    loop {
        if let Some(open) = *quote {
            let Some(at) = rest.find(open) else { return begins };
            rest = &rest[at + 3..];
            *quote = None;
        } else {
            let found = ["\"\"\"", "'''"].into_iter().filter_map(|sign| Some((rest.find(sign)?, sign))).min();
            let Some((at, sign)) = found else { return begins };
            rest = &rest[at + 3..];
            *quote = Some(sign);
            begins = true;
        }
    }
}

/// Returns a line with a space on either side of `=`, and no others at the ends or in rows; quotes and
/// comments stay.
fn spaced(line: &str) -> String {
    let trimmed = line.trim();
    let indent = if line.starts_with([' ', '\t']) && !trimmed.starts_with(['[', '#']) && !is_entry(trimmed) {
        // A continued list keeps its place.
        &line[..line.len() - line.trim_start().len()]
    } else {
        ""
    };
    let mut shown = indent.to_owned();
    let mut quote = None;
    let mut is_comment = false;
    for character in trimmed.chars() {
        match (quote, character) {
            _ if is_comment => shown.push(character),
            (Some(open), _) => {
                shown.push(character);
                if character == open && !shown.ends_with("\\\"") {
                    quote = None;
                }
            }
            (None, '"' | '\'') => {
                quote = Some(character);
                shown.push(character);
            }
            (None, '#') => {
                is_comment = true;
                shown.push(character);
            }
            (None, '=') => {
                let kept = shown.trim_end().len();
                shown.truncate(kept);
                shown.push_str(" = ");
            }
            (None, ',') => {
                let kept = shown.trim_end().len();
                shown.truncate(kept);
                shown.push_str(", ");
            }
            (None, ' ' | '\t') if shown.ends_with(' ') || shown.len() == indent.len() => {}
            (None, '\t') => shown.push(' '),
            (None, other) => shown.push(other),
        }
    }
    shown.trim_end().to_owned()
}

/// Returns whether a line begins with a key.
fn is_entry(line: &str) -> bool {
    line.split_once('=').is_some_and(|(key, _)| !key.contains(['{', '[', ',']))
}

#[cfg(test)]
mod tests {
    use super::formatted;
    use crate::editing::Document;

    fn check(text: &str, expected: &str) {
        let found = formatted(&Document::new("a.toml", text)).expect("a layout");
        assert_eq!(found, expected);
        assert_eq!(
            formatted(&Document::new("a.toml", found.as_str())).as_deref(),
            Some(expected),
            "a fixed point"
        );
    }

    #[test]
    fn studies_get_the_usual_layout() {
        check(
            "model=\"a.pml\"   # the model = it\nunit   =  \"us\"\n[delay]\n  \"a:b\" ={fixed=2}\n\n\n# why\n[[ask]]\nthroughput=\"x\"\n\n",
            "model = \"a.pml\" # the model = it\nunit = \"us\"\n\n[delay]\n\"a:b\" = {fixed = 2}\n\n# why\n[[ask]]\nthroughput = \"x\"\n",
        );
        check(
            "title = \"\"\"\na  =  b\n\"\"\"\noverlap = [\n  \"a\",\n  \"b\",\n]\n",
            "title = \"\"\"\na  =  b\n\"\"\"\noverlap = [\n  \"a\",\n  \"b\",\n]\n",
        );
    }

    #[test]
    fn what_is_not_a_study_keeps_its_layout() {
        assert_eq!(formatted(&Document::new("a.toml", "model = \n")), None);
        assert_eq!(formatted(&Document::new("a.pml", "byte x;")), None);
    }
}
