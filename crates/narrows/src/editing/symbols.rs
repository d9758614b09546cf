//! The outline of a text as a tree, and what its words are for colours.

use std::ops::Range;

use narrows_languages::outline::{NameKind, WordKind};
use narrows_study::Entry;

use super::document::Content;
use super::files::Files;
use super::names::Target;

/// Something that a text declares, with what it contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// What it is; `None` for a part of a study.
    pub kind: Option<NameKind>,
    /// Where the name stands.
    pub place: Range<usize>,
    /// All of it.
    pub extent: Range<usize>,
    /// What it contains.
    pub children: Vec<Symbol>,
}

/// What a word is for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// A word of the language.
    Keyword,
    /// A name of something.
    Named(NameKind),
    /// A name of unknown meaning.
    Unknown,
    /// A number.
    Number,
    /// A text between quotes.
    Text,
    /// A directive.
    Directive,
}

impl Files {
    /// Returns what a file declares, as a tree.
    pub fn symbols(&self, file: usize) -> Vec<Symbol> {
        match &self.documents[file].content {
            Content::Model(_, outline) => {
                let mut roots: Vec<Symbol> = Vec::new();
                let mut places: Vec<Option<usize>> = Vec::new();
                for declared in &outline.declared {
                    let symbol = Symbol {
                        name: declared.name.clone(),
                        kind: Some(declared.kind),
                        place: declared.place.clone(),
                        extent: declared.extent.clone(),
                        children: Vec::new(),
                    };
                    let root = declared.parent.and_then(|parent| places[parent]);
                    if let Some(root) = root {
                        let extent = &mut roots[root].extent;
                        extent.end = extent.end.max(symbol.extent.end);
                        roots[root].children.push(symbol);
                        places.push(Some(root));
                    } else {
                        roots.push(symbol);
                        places.push(Some(roots.len() - 1));
                    }
                }
                roots
            }
            Content::Study(entries) => study_symbols(entries),
        }
    }

    /// Returns what each word of a model is, in order.
    pub fn colours(&self, file: usize) -> Vec<(Range<usize>, Colour)> {
        let Some(outline) = self.documents[file].outline() else { return Vec::new() };
        let colour = |number: usize| match outline.words[number].kind {
            WordKind::Keyword => Colour::Keyword,
            WordKind::Number => Colour::Number,
            WordKind::Text => Colour::Text,
            WordKind::Directive => Colour::Directive,
            _ => match self.resolve(file, number) {
                Some(Target::Declared(owner, declared)) => match self.documents[owner].outline() {
                    Some(outline) => Colour::Named(outline.declared[declared].kind),
                    None => Colour::Unknown,
                },
                _ => Colour::Unknown,
            },
        };
        (0..outline.words.len()).map(|number| (outline.words[number].place.clone(), colour(number))).collect()
    }
}

/// The tables of a study with their entries.
fn study_symbols(entries: &[Entry]) -> Vec<Symbol> {
    let mut roots: Vec<(Vec<String>, usize, Symbol)> = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.key.is_empty()) {
        let text = entry.text.clone().unwrap_or_default();
        let extent = entry.key_place.start..entry.place.end.max(entry.key_place.end);
        let symbol = |name: String| Symbol {
            name,
            kind: None,
            place: entry.key_place.clone(),
            extent: extent.clone(),
            children: Vec::new(),
        };
        match &entry.table[..] {
            [] if entry.text.is_some() => {
                roots.push((Vec::new(), 0, symbol(format!("{} = {text}", entry.key))));
            }
            [table] => {
                let child = symbol(entry.key.clone());
                let known = roots
                    .iter_mut()
                    .find(|(path, number, _)| *path == entry.table && *number == entry.number);
                if let Some((_, _, root)) = known {
                    root.extent = root.extent.start.min(extent.start)..root.extent.end.max(extent.end);
                    root.children.push(child);
                } else {
                    let mut root = symbol(table.clone());
                    root.children.push(child);
                    roots.push((entry.table.clone(), entry.number, root));
                }
            }
            _ => {}
        }
    }
    let mut symbols: Vec<Symbol> = roots.into_iter().map(|(_, _, symbol)| symbol).collect();
    for symbol in &mut symbols {
        // A place lies within its extent, also where keys stand in another order than their values.
        symbol.place = symbol.children.first().map_or(symbol.place.clone(), |child| child.place.clone());
    }
    symbols
}
