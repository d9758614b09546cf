//! Messages about a text.

use std::collections::HashMap;

use crate::Span;

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The model can't be used.
    Error,
    /// The model can be used, but may not mean what its author thinks.
    Warning,
}

/// A place and what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is said of it; may be empty.
    pub text: String,
}

/// One message: a stable code, a title, the place, further places, and a remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code, such as `P0104`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub title: String,
    /// The place the message is about.
    pub primary: Label,
    /// Other places that help to understand it.
    pub secondary: Vec<Label>,
    /// Facts that belong to no place.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Starts an error.
    pub fn error(code: &'static str, span: Span, title: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, span, title.into())
    }

    /// Starts a warning.
    pub fn warning(code: &'static str, span: Span, title: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, span, title.into())
    }

    fn new(code: &'static str, severity: Severity, span: Span, title: String) -> Self {
        let primary = Label { span, text: String::new() };
        Diagnostic { code, severity, title, primary, secondary: Vec::new(), notes: Vec::new(), help: None }
    }

    /// Says something at the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Points to another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Says what may be meant, if anything is close to what was written.
    #[must_use]
    pub fn did_you_mean(self, near: Option<&str>) -> Self {
        match near {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self,
        }
    }

    /// Adds it to others.
    pub fn emit(self, to: &mut Diagnostics) {
        to.push(self);
    }
}

/// How many errors, and how many warnings, are kept: nobody reads more, and showing one takes a look at the
/// whole text.
const MAX_ERRORS: usize = 200;

/// Collects messages in the order they are found.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    /// Where in the list the messages of each code and place are.
    known: HashMap<(&'static str, Span), Vec<usize>>,
    errors: usize,
    warnings: usize,
}

impl Diagnostics {
    /// Adds a message, unless the very same one is there already (an inline is checked at every call) or
    /// there are hundreds.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let known = self.known.entry((diagnostic.code, diagnostic.primary.span)).or_default();
        if known.iter().any(|index| self.list[*index] == diagnostic) {
            return;
        }
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= MAX_ERRORS {
            known.push(self.list.len());
            self.list.push(diagnostic);
        }
    }

    /// Returns whether any of them is an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Returns whether further errors are only counted: it is not worth it to work out what they would say.
    pub fn is_full(&self) -> bool {
        self.errors >= MAX_ERRORS
    }

    /// Returns them all, in the order of their places.
    pub fn sorted(&self) -> Vec<Diagnostic> {
        let mut list = self.list.clone();
        list.sort_by_key(|d| (d.primary.span.file, d.primary.span.start));
        list
    }
}

/// What `narrows explain CODE` says.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// The code.
    pub code: &'static str,
    /// The title.
    pub title: &'static str,
    /// What it means, an example, and what to do: Markdown.
    pub text: &'static str,
}

impl Explanation {
    /// Reads explanations from Markdown: each is a section with the heading `## CODE: title`.
    pub fn read(markdown: &'static str) -> impl Iterator<Item = Explanation> {
        let sections = markdown.strip_prefix("## ").unwrap_or(markdown).split("\n## ");
        sections.filter_map(|section| {
            let (heading, text) = section.split_once('\n')?;
            let (code, title) = heading.split_once(": ")?;
            Some(Explanation { code, title, text: text.trim() })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Diagnostic, Diagnostics, MAX_ERRORS};
    use crate::{FileId, Span};

    #[test]
    fn many_messages_are_cut_off_but_errors_count() {
        let mut diagnostics = Diagnostics::default();
        for place in 0..100_000 {
            diagnostics.push(Diagnostic::warning("P0301", Span::new(FileId(0), place, place), "hidden"));
        }
        assert!(!diagnostics.has_errors());
        diagnostics.push(Diagnostic::error("P0201", Span::default(), "unknown"));
        diagnostics.push(Diagnostic::error("P0201", Span::default(), "unknown"));
        assert!(diagnostics.has_errors());
        assert_eq!(diagnostics.sorted().len(), MAX_ERRORS + 1);
    }
}
