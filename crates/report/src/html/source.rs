//! The text of the model, line by line, and the names by which the page refers to lines.

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
    pub(crate) text: String,
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

/// Returns the files, with the lines marked on which a statement stands that no run reaches.
pub(crate) fn texts(sources: &Sources, places: &Places<'_>, unreached: &[Unreached]) -> Vec<Text> {
    let dead: Vec<_> = unreached.iter().map(|entry| places.spot(entry.span).id).collect();
    let files = sources.files().enumerate().map(|(index, (_, file))| {
        let lines = 1..=file.line_count();
        // A line break at the end of a file starts no line.
        let lines = lines.filter(|number| *number < file.line_count() || !file.line(*number).is_empty());
        let line = |number: usize| {
            let id = places.id(index, number);
            let is_unreached = dead.contains(&id);
            Line { number, text: file.line(number).to_owned(), is_unreached, id }
        };
        Text { name: file.name.clone(), lines: lines.map(line).collect() }
    });
    files.collect()
}
