//! A text with what it names.

use std::ops::Range;

use narrows_languages::outline::{Outline, Word};
use narrows_languages::{Language, identify};
use narrows_study::{Entry, entries};

/// A text that is open in an editor, or that such a text names.
#[derive(Clone)]
pub struct Document {
    /// The name of its file.
    pub name: String,
    /// The text.
    pub text: String,
    pub(super) content: Content,
}

/// What a text is.
#[derive(Clone)]
pub(super) enum Content {
    /// A model, or a part of one that others include.
    Model(&'static dyn Language, Outline),
    /// A study.
    Study(Vec<Entry>),
}

impl Document {
    /// Makes the outline of a text. A study is told by the ending of its name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Document {
        let (name, text) = (name.into(), text.into());
        let content = if is_study(&name) {
            Content::Study(entries(&text))
        } else {
            let language = identify(&name, &text).language;
            Content::Model(language, language.outline(&text))
        };
        Document { name, text, content }
    }

    /// Returns whether it is a study.
    pub fn is_study(&self) -> bool {
        matches!(self.content, Content::Study(_))
    }

    /// Returns whether it is about something else, such as the manifest of a package: TOML with nothing of a
    /// study in it.
    pub fn is_foreign(&self) -> bool {
        let marks = ["model", "ask", "delay", "event"];
        let is_mark = |entry: &Entry| entry.table.is_empty() && marks.contains(&entry.key.as_str());
        self.is_study() && !self.entries().iter().any(is_mark)
    }

    /// Returns the name of its language.
    pub fn language(&self) -> &'static str {
        match &self.content {
            Content::Model(language, _) => language.name(),
            Content::Study(_) => "study",
        }
    }

    pub(super) fn outline(&self) -> Option<&Outline> {
        match &self.content {
            Content::Model(_, outline) => Some(outline),
            Content::Study(_) => None,
        }
    }

    pub(super) fn entries(&self) -> &[Entry] {
        match &self.content {
            Content::Model(..) => &[],
            Content::Study(entries) => entries,
        }
    }

    /// Returns the file of the model that a study is about.
    pub fn model(&self) -> Option<&str> {
        let mut entries = self.entries().iter();
        entries.find(|entry| entry.table.is_empty() && entry.key == "model")?.text.as_deref()
    }

    /// Returns what the file includes or names: the name, whether it is a system's, and its place.
    pub(super) fn named_files(&self) -> Vec<(String, bool, Range<usize>)> {
        match &self.content {
            Content::Model(_, outline) => {
                let named = outline.includes.iter();
                named.map(|named| (named.path.clone(), named.is_system, named.place.clone())).collect()
            }
            Content::Study(entries) => {
                let model = entries.iter().find(|entry| entry.table.is_empty() && entry.key == "model");
                let named = model.and_then(|entry| Some((entry.text.clone()?, false, entry.place.clone())));
                named.into_iter().collect()
            }
        }
    }

    /// Returns the word of a model at an offset, or just before it, with its number.
    pub(super) fn word_at(&self, offset: usize) -> Option<(usize, &Word)> {
        let outline = self.outline()?;
        let number = outline.word_at(offset)?;
        Some((number, &outline.words[number]))
    }
}

/// Returns whether a file of this name is a study.
pub(super) fn is_study(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}
