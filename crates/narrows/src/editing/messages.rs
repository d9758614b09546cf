//! What is wrong with a text, with places and remedies.

use std::fmt::Write;
use std::ops::Range;

use narrows_languages::Options;
use narrows_source::{Diagnostic, Severity, Sources, Span};

use super::document::is_study;
use crate::{Loader, PreparedStudy, StudyError, read};

/// Another place that helps to understand a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The name of the file.
    pub file: String,
    /// The range of bytes.
    pub place: Range<usize>,
    /// What is said of it.
    pub text: String,
}

/// A change that does away with what a message is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What is replaced, in the file of the message.
    pub place: Range<usize>,
    /// By what.
    pub replacement: String,
}

/// A message about a place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The name of the file.
    pub file: String,
    /// The range of bytes.
    pub place: Range<usize>,
    /// Whether the text can't be used.
    pub is_error: bool,
    /// The code, which `narrows explain` knows.
    pub code: &'static str,
    /// What is wrong, with what is said of the place, facts and the remedy: some lines.
    pub text: String,
    /// Other places.
    pub related: Vec<Related>,
    /// A remedy that can be applied.
    pub fix: Option<Fix>,
}

/// Says what is wrong with a model or a study, and with what it includes.
pub fn messages(name: &str, text: &str, loader: &dyn Loader) -> Vec<Message> {
    let (sources, diagnostics) = if is_study(name) {
        match PreparedStudy::read(name, text.to_owned(), loader) {
            Ok(study) => {
                let nothing = study.nothing_asked();
                let diagnostics = study.warnings.into_iter().chain(nothing).collect();
                (study.sources, diagnostics)
            }
            Err(StudyError::Rejected(rejected)) => (rejected.sources, rejected.diagnostics),
            Err(error @ StudyError::NoModel { .. }) => {
                let document = super::Document::new(name, text);
                let place = document.named_files().first().map_or(0..0, |(_, _, place)| place.clone());
                let (file, text) = (name.to_owned(), error.to_string());
                let code = "S0003";
                return vec![Message {
                    file,
                    place,
                    is_error: true,
                    code,
                    text,
                    related: Vec::new(),
                    fix: None,
                }];
            }
        }
    } else {
        match read(name, text.to_owned(), loader, &Options::default()) {
            Ok(read) => (read.model.sources, read.warnings),
            Err(rejected) => (rejected.sources, rejected.diagnostics),
        }
    };
    diagnostics.iter().map(|diagnostic| message(diagnostic, &sources)).collect()
}

fn message(diagnostic: &Diagnostic, sources: &Sources) -> Message {
    let range = |span: Span| span.start as usize..span.end as usize;
    let file = |span: Span| sources.file(span.file).name.clone();
    let mut text = diagnostic.title.clone();
    let primary = &diagnostic.primary;
    if !primary.text.is_empty() {
        let _ = write!(text, "\n{}", primary.text);
    }
    for note in &diagnostic.notes {
        let _ = write!(text, "\nnote: {note}");
    }
    if let Some(help) = &diagnostic.help {
        let _ = write!(text, "\nhelp: {help}");
    }
    let related = diagnostic.secondary.iter().map(|label| {
        let text = if label.text.is_empty() { "see also".to_owned() } else { label.text.clone() };
        Related { file: file(label.span), place: range(label.span), text }
    });
    Message {
        file: file(primary.span),
        place: range(primary.span),
        is_error: diagnostic.severity == Severity::Error,
        code: diagnostic.code,
        text,
        related: related.collect(),
        fix: fix(diagnostic, sources.text(primary.span)),
    }
}

/// Returns the change that a help text suggests: another word in place of the one at the place.
fn fix(diagnostic: &Diagnostic, written: &str) -> Option<Fix> {
    let help = diagnostic.help.as_deref()?;
    let replacement = help.strip_prefix("did you mean `")?.strip_suffix("`?")?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    if written.is_empty() || !written.chars().all(is_part) || !replacement.chars().all(is_part) {
        return None;
    }
    let span = diagnostic.primary.span;
    Some(Fix { place: span.start as usize..span.end as usize, replacement: replacement.to_owned() })
}
