//! What may stand at a place of a text.

use std::ops::Range;

use narrows_languages::Language;
use narrows_languages::outline::{Declared, NameKind, Outline};
use narrows_study::{Entry, keys_of};

use super::document::Content;
use super::files::Files;
use super::hover::kind_name;
use super::names::{contains, is_naming};

/// What a proposal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionKind {
    /// A word of the language, or a key of a study.
    Keyword,
    /// Something with a name.
    Named(NameKind),
    /// A name that a study gives.
    StudyName,
}

/// A proposal for a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What is put there.
    pub text: String,
    /// What it is.
    pub kind: CompletionKind,
    /// More about it.
    pub detail: String,
    /// What it replaces.
    pub replaces: Range<usize>,
}

impl Files {
    /// Proposes what may stand at an offset, where a word may have begun.
    pub fn completions(&self, file: usize, offset: usize) -> Vec<Completion> {
        let text = &self.documents[file].text;
        let Some(before) = text.get(..offset) else { return Vec::new() };
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let start = before
            .rfind(|c| !is_part(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let mut found = match &self.documents[file].content {
            Content::Model(language, outline) => self.in_model(file, *language, outline, start..offset),
            Content::Study(entries) => self.in_study(file, entries, start..offset),
        };
        let mut seen = std::collections::HashSet::new();
        found.retain(|proposal| seen.insert(proposal.text.clone()));
        found
    }

    fn in_model(
        &self,
        file: usize,
        language: &'static dyn Language,
        outline: &Outline,
        replaces: Range<usize>,
    ) -> Vec<Completion> {
        let text = &self.documents[file].text;
        let before = text[..replaces.start].trim_end();
        if before.ends_with('.') && !before.ends_with("..") {
            return self.members(file, outline, before.len() - 1, &replaces);
        }
        let is_label = before.ends_with("goto") || before.ends_with('@');
        let offset = replaces.start;
        let mut found = Vec::new();
        let mut add = |outline: &Outline, declared: &Declared| {
            let detail = match declared.parent {
                Some(parent) => {
                    format!("{} of {}", kind_name(declared.kind), outline.declared[parent].name)
                }
                None => kind_name(declared.kind).to_owned(),
            };
            let name = declared.name.clone();
            found.push(named(name, declared.kind, detail, &replaces));
        };
        for declared in &outline.declared {
            let is_known = declared.scope.as_ref().is_none_or(|scope| scope.contains(&offset));
            let fits = match declared.kind {
                NameKind::Label => is_label && (is_known || before.ends_with('@')),
                NameKind::Field => false,
                _ => !is_label && is_known,
            };
            if fits {
                add(outline, declared);
            }
        }
        if is_label {
            return found;
        }
        for other in self.visible_from(file).into_iter().filter(|other| *other != file) {
            let Some(outline) = self.documents[other].outline() else { continue };
            let is_global = |declared: &&Declared| {
                declared.scope.is_none() && !matches!(declared.kind, NameKind::Label | NameKind::Field)
            };
            outline.declared.iter().filter(is_global).for_each(|declared| add(outline, declared));
        }
        found.extend(language.keywords().into_iter().map(|word| keyword(word, &replaces)));
        found
    }

    /// Proposes the components of what stands before a dot, or those of all types if that is unknown.
    fn members(
        &self,
        file: usize,
        outline: &Outline,
        dot: usize,
        replaces: &Range<usize>,
    ) -> Vec<Completion> {
        let whole = outline.word_at(dot).and_then(|word| outline.structure(word));
        let documents = self
            .visible_from(file)
            .into_iter()
            .filter_map(|other| Some((other, self.documents[other].outline()?)));
        let mut found = Vec::new();
        for (other, outline) in documents {
            for declared in &outline.declared {
                let Some(parent) = declared.parent else { continue };
                let is_component = match outline.declared[parent].kind {
                    NameKind::Type => declared.kind == NameKind::Field,
                    NameKind::Module => {
                        matches!(declared.kind, NameKind::Variable | NameKind::Definition)
                    }
                    _ => false,
                };
                let fits = whole.is_none_or(|whole| other == file && parent == whole);
                if is_component && fits {
                    let detail = format!("{} of {}", kind_name(declared.kind), outline.declared[parent].name);
                    found.push(named(declared.name.clone(), declared.kind, detail, replaces));
                }
            }
        }
        found
    }

    fn in_study(&self, file: usize, entries: &[Entry], replaces: Range<usize>) -> Vec<Completion> {
        let text = &self.documents[file].text;
        let line_start = text[..replaces.start].rfind('\n').map_or(0, |at| at + 1);
        let line = &text[line_start..replaces.start];
        let is_quoted = line.matches('"').count() % 2 == 1;
        if let Some(inner) = line.trim_start().strip_prefix('[').filter(|inner| !inner.contains(']')) {
            if inner.contains(['"', '=']) {
                return Vec::new();
            }
            return keys_of(&[]).into_iter().map(|key| keyword(key, &replaces)).collect();
        }
        let key = line.split('=').next().unwrap_or("").trim();
        let table = table_at(text, line_start);
        if is_quoted {
            let is_value = line.contains('=');
            if is_value && key == "model" && table.is_empty() || !is_value && table != ["delay"] {
                return Vec::new();
            }
            let quote = line_start + line.rfind('"').unwrap_or(0) + 1;
            return self.texts(file, entries, quote, replaces);
        }
        let open = line.matches('{').count() > line.matches('}').count();
        let path = match (open, table.is_empty()) {
            (true, _) => [table, vec![key.to_owned()]].concat(),
            (false, _) if line.contains('=') => return Vec::new(),
            (false, _) => table,
        };
        keys_of(&path).into_iter().map(|key| keyword(key, &replaces)).collect()
    }

    /// Proposes what a text of a study may name: names of the study, and those of the model.
    fn texts(&self, file: usize, entries: &[Entry], quote: usize, replaces: Range<usize>) -> Vec<Completion> {
        let text = &self.documents[file].text;
        let process = text[quote..replaces.start]
            .strip_suffix(':')
            .map(|process| process.split('[').next().unwrap_or(process).to_owned());
        let mut found = Vec::new();
        if process.is_none() {
            for entry in entries.iter().filter(|entry| is_naming(entry) && !contains(&entry.key_place, quote))
            {
                let (text, detail) = (entry.key.clone(), format!("{} of the study", entry.table.join(".")));
                let kind = CompletionKind::StudyName;
                found.push(Completion { text, kind, detail, replaces: replaces.clone() });
            }
        }
        for model in self.included_by(file).into_iter().filter(|model| *model != file) {
            let Some(outline) = self.documents[model].outline() else { continue };
            for declared in &outline.declared {
                let owner = declared.parent.map(|parent| outline.declared[parent].name.clone());
                let detail = format!("{} of the model", kind_name(declared.kind));
                let name = declared.name.clone();
                match (&process, owner) {
                    (Some(process), Some(owner)) if *process == owner => {
                        if declared.kind == NameKind::Label {
                            found.push(named(name, declared.kind, detail, &replaces));
                        }
                    }
                    (Some(_), _) => {}
                    (None, Some(owner)) if declared.kind == NameKind::Label => {
                        found.push(named(format!("{owner}:{name}"), declared.kind, detail, &replaces));
                    }
                    (None, _) if declared.kind == NameKind::Label => {}
                    (None, _) => found.push(named(name, declared.kind, detail, &replaces)),
                }
            }
        }
        found
    }
}

fn keyword(word: &str, replaces: &Range<usize>) -> Completion {
    let detail = String::new();
    Completion { text: word.to_owned(), kind: CompletionKind::Keyword, detail, replaces: replaces.clone() }
}

fn named(text: String, kind: NameKind, detail: String, replaces: &Range<usize>) -> Completion {
    Completion { text, kind: CompletionKind::Named(kind), detail, replaces: replaces.clone() }
}

/// Returns the keys in the header of the table that a line of a study is in.
fn table_at(text: &str, line_start: usize) -> Vec<String> {
    let header = text[..line_start].lines().rev().find(|line| line.trim_start().starts_with('['));
    let inner = header.map(|line| line.trim().trim_start_matches('[').split(']').next().unwrap_or(""));
    let keys = inner.filter(|inner| !inner.contains(['"', '=', ','])).unwrap_or("");
    keys.split('.').filter(|key| !key.is_empty()).map(|key| key.trim().to_owned()).collect()
}
