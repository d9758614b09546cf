//! Where in the text a run is, and where it is to stop.

use narrows_report::one_line;
use narrows_source::{FileId, Sources, Span};

use super::Session;

impl Session<'_> {
    /// Stops runs where a process comes to a line, or no longer does; returns whether it does now.
    pub fn toggle_breakpoint(&mut self, file: FileId, line: usize) -> bool {
        self.breakpoints.insert((file, line)) || !self.breakpoints.remove(&(file, line))
    }

    /// Returns whether runs stop where a process comes to a line.
    pub fn is_breakpoint(&self, file: FileId, line: usize) -> bool {
        self.breakpoints.contains(&(file, line))
    }

    pub(super) fn at_breakpoint(&self) -> bool {
        let is_at = |span: Span| self.line(span).is_some_and(|line| self.is_breakpoint(span.file, line));
        !self.breakpoints.is_empty()
            && self
                .processes()
                .iter()
                .enumerate()
                .any(|(number, process)| process.span.is_some_and(is_at) && self.just_moved(number))
    }

    /// Returns the line of a place, if the text is there.
    pub fn line(&self, span: Span) -> Option<usize> {
        line(self.sources(), span)
    }

    /// Says where a place is, as `file:line`.
    pub fn place(&self, span: Span) -> String {
        place(self.sources(), span)
    }

    /// Says where a place is without the folders, where there is little room.
    pub fn short_place(&self, span: Span) -> String {
        let place = self.place(span);
        place.rsplit('/').next().map_or(place.clone(), str::to_owned)
    }

    /// Returns the text at the place where a process is: the line, if its statements stand in lines;
    /// otherwise all that it still does.
    pub fn text_at(&self, span: Span) -> String {
        let sources = self.sources();
        let text = if self.model.processes().is_some() {
            sources.file(span.file).line(sources.position(span).line).trim()
        } else {
            sources.text(span)
        };
        one_line(text)
    }

    /// Says where a process is without the folders, with the text there if the line alone does not tell.
    pub fn process_place(&self, span: Span) -> String {
        let place = self.short_place(span);
        if self.model.processes().is_some() { place } else { format!("{place} {}", self.text_at(span)) }
    }

    /// Returns the number by which people know a process, given its place among all of them: processes of
    /// Promela have numbers of their own, from 0 on; others are counted from 1 on.
    pub fn process_number(&self, index: usize) -> usize {
        index + usize::from(self.model.processes().is_none())
    }
}

pub(super) fn line(sources: &Sources, span: Span) -> Option<usize> {
    let known = sources.files().any(|(id, _)| id == span.file);
    known.then(|| sources.position(span).line)
}

pub(super) fn place(sources: &Sources, span: Span) -> String {
    match line(sources, span) {
        Some(line) => format!("{}:{line}", sources.file(span.file).name),
        None => "-".to_owned(),
    }
}
