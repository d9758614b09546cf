//! The text of the model, line by line, and the names by which the page refers to lines.

use std::ops::Range;

use narrows_source::{Sources, Span};

use crate::Unreached;

/// A file.
pub(crate) struct Text {
    pub(crate) name: String,
    pub(crate) lines: Vec<Line>,
}

/// A line of a file.
pub(crate) struct Line {
    pub(crate) id: String,
    pub(crate) number: usize,
    /// Its text, in pieces: whether no run reaches them, and what they say.
    pub(crate) pieces: Vec<(bool, String)>,
    pub(crate) is_unreached: bool,
}

/// Knows what the page calls a place.
pub(crate) struct Places<'s> {
    sources: &'s Sources,
    prefix: &'s str,
}

/// A place as the page shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    /// The name of the line's element; empty if there is no such line.
    pub(crate) id: String,
    /// `line 3`, or with the name of a file that is included.
    pub(crate) text: String,
}

impl<'s> Places<'s> {
    pub(crate) fn new(sources: &'s Sources, prefix: &'s str) -> Self {
        Places { sources, prefix }
    }

    fn id(&self, file: usize, line: usize) -> String {
        format!("{}f{file}-{line}", self.prefix)
    }

    pub(crate) fn spot(&self, span: Span) -> Spot {
        if !self.sources.files().any(|(id, _)| id == span.file) {
            return Spot::default();
        }
        let line = self.sources.position(span).line;
        let name = &self.sources.file(span.file).name;
        let text = match span.file.0 {
            0 => format!("line {line}"),
            _ => format!("{}:{line}", name.rsplit('/').next().unwrap_or(name)),
        };
        Spot { id: self.id(span.file.0 as usize, line), text }
    }
}

/// Returns the files, with the statements marked that no run reaches.
pub(crate) fn texts(sources: &Sources, places: &Places<'_>, unreached: &[Unreached]) -> Vec<Text> {
    let files = sources.files().enumerate().map(|(index, (file_id, file))| {
        let spans = unreached.iter().map(|entry| entry.span).filter(|span| span.file == file_id);
        let dead: Vec<_> = spans.map(|span| span.start as usize..span.end as usize).collect();
        let mut start = 0;
        let lines = 1..=file.line_count();
        // A line break at the end of a file starts no line.
        let lines = lines.filter(|number| *number < file.line_count() || !file.line(*number).is_empty());
        let line = |number: usize| {
            let text = file.line(number);
            let pieces = pieces(text, start, &dead);
            // The line break may be of two characters.
            let rest = &file.text[start + text.len()..];
            start += text.len() + rest.find('\n').map_or(rest.len(), |at| at + 1);
            let is_unreached = pieces.iter().any(|(is_dead, _)| *is_dead);
            Line { id: places.id(index, number), number, pieces, is_unreached }
        };
        Text { name: file.name.clone(), lines: lines.map(line).collect() }
    });
    files.collect()
}

/// Cuts a line that starts at an offset where a statement starts or ends that no run reaches.
fn pieces(line: &str, start: usize, dead: &[Range<usize>]) -> Vec<(bool, String)> {
    let is_dead = |at: usize| dead.iter().any(|range| range.contains(&(start + at)));
    let mut pieces: Vec<(bool, String)> = Vec::new();
    for (at, character) in line.char_indices() {
        match pieces.last_mut() {
            Some((last, text)) if *last == is_dead(at) => text.push(character),
            _ => pieces.push((is_dead(at), character.to_string())),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn a_line_is_cut_where_dead_code_starts_and_ends() {
        let cut = |line: &str, start, dead: &[std::ops::Range<usize>]| {
            let pieces = pieces(line, start, dead).into_iter();
            pieces.map(|(dead, text)| if dead { format!("[{text}]") } else { text }).collect::<String>()
        };
        assert_eq!(cut("x = 1; y = 2", 10, &[17..22, 100..120]), "x = 1; [y = 2]");
        assert_eq!(cut("  über }", 10, &[0..15, 90..91]), "[  üb]er }");
        assert_eq!(cut("", 10, &[0..15, 90..91]), "");
    }
}
