//! Several texts that name each other: those that are open, and what they include.

use std::ops::Range;

use super::document::{Content, Document};
use crate::Loader;

/// So many files are looked at.
const MAX_FILES: usize = 200;

/// A place in one of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the file.
    pub file: String,
    /// The range of bytes.
    pub place: Range<usize>,
}

/// Texts, and all that they include or are about.
pub struct Files {
    pub(super) documents: Vec<Document>,
    /// Which files each one includes or is about, by number.
    pub(super) named: Vec<Vec<(Range<usize>, usize)>>,
}

impl Files {
    /// Takes texts, and loads what they name. What can't be loaded is left out: [`messages`](super::messages)
    /// tells.
    pub fn new(open: Vec<Document>, loader: &dyn Loader) -> Files {
        let mut documents = open;
        let mut named = Vec::new();
        let mut next = 0;
        while next < documents.len() {
            let mut targets = Vec::new();
            for (path, is_system, place) in documents[next].named_files() {
                let Ok(loaded) = loader.load(&path, &documents[next].name, is_system) else { continue };
                let known = documents.iter().position(|document| document.name == loaded.name);
                let target = match known {
                    Some(known) => known,
                    None if documents.len() >= MAX_FILES => continue,
                    None => {
                        documents.push(included(&documents[next], loaded.name, loaded.text));
                        documents.len() - 1
                    }
                };
                targets.push((place, target));
            }
            named.push(targets);
            next += 1;
        }
        Files { documents, named }
    }

    /// Returns a document.
    pub fn document(&self, file: usize) -> &Document {
        &self.documents[file]
    }

    /// Returns the number of the document of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.documents.iter().position(|document| document.name == name)
    }

    /// Returns whether a file includes one of this name, directly or not.
    pub fn includes(&self, file: usize, name: &str) -> bool {
        self.included_by(file).into_iter().skip(1).any(|included| self.documents[included].name == name)
    }

    /// Returns a file with all that it includes, directly or not, itself first.
    pub(super) fn included_by(&self, file: usize) -> Vec<usize> {
        let mut found = vec![file];
        let mut next = 0;
        while let Some(from) = found.get(next) {
            for (_, target) in &self.named[*from] {
                if !found.contains(target) {
                    found.push(*target);
                }
            }
            next += 1;
        }
        found
    }

    /// Returns the files that may declare what a file uses: those it includes, and those that are included
    /// along with it.
    pub(super) fn visible_from(&self, file: usize) -> Vec<usize> {
        let mut found = self.included_by(file);
        for root in 0..self.documents.len() {
            if self.documents[root].is_study() {
                continue;
            }
            let together = self.included_by(root);
            if together.contains(&file) {
                found.extend(together);
            }
        }
        let mut seen = Vec::new();
        found.retain(|file| {
            let is_new = !seen.contains(file);
            seen.push(*file);
            is_new
        });
        found
    }

    pub(super) fn place(&self, file: usize, place: Range<usize>) -> Place {
        Place { file: self.documents[file].name.clone(), place }
    }
}

/// A file that is included is in the language of the one that includes it, whatever its name is.
fn included(by: &Document, name: String, text: String) -> Document {
    match &by.content {
        Content::Model(language, _) => {
            let content = Content::Model(*language, language.outline(&text));
            Document { name, text, content }
        }
        Content::Study(_) => Document::new(name, text),
    }
}
