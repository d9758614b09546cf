//! Where a name is declared, where it is used, and another name for it.

use std::ops::Range;

use narrows_languages::outline::{Declared, NameKind};
use narrows_study::Entry;
use thiserror::Error;

use super::document::Content;
use super::files::{Files, Place};

/// Tables of a study whose keys are names that its questions use.
const NAMING: [&str; 6] = ["event", "resource", "define", "amount", "constant", "signal"];

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A declaration of a model: the file, and the number in its outline.
    Declared(usize, usize),
    /// An entry of a study: the file, and the number of the entry.
    Entry(usize, usize),
}

/// Why something gets no other name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RenameError {
    /// There is no name here.
    #[error("there is no name here that is declared in one of the files")]
    NoName,
    /// It is not a name.
    #[error("`{0}` is not a name in {1}")]
    NotAName(String, &'static str),
    /// It is a word of the language.
    #[error("`{0}` is a keyword")]
    Keyword(String),
    /// It is in use.
    #[error("`{name}` is used already, in {file}")]
    Taken {
        /// The name.
        name: String,
        /// Where.
        file: String,
    },
}

impl Files {
    /// Returns where the name at an offset of a file is declared; for what is included, where that begins.
    pub fn definition(&self, file: usize, offset: usize) -> Option<Place> {
        let leads = self.named[file].iter().find(|(place, _)| place.start <= offset && offset <= place.end);
        if let Some((_, target)) = leads {
            return Some(self.place(*target, 0..0));
        }
        let (_, target) = self.target_at(file, offset)?;
        Some(self.place_of(target))
    }

    /// Returns all places where the name at an offset is used, its declaration among them.
    pub fn references(&self, file: usize, offset: usize) -> Vec<Place> {
        match self.target_at(file, offset) {
            Some((_, target)) => self.uses(target),
            None => Vec::new(),
        }
    }

    /// Returns the place of the name at an offset, if it can get another one.
    pub fn renamed_at(&self, file: usize, offset: usize) -> Option<Range<usize>> {
        let (place, target) = self.target_at(file, offset)?;
        let is_word = |declared: &Declared| declared.name != "init" || declared.kind != NameKind::Process;
        match target {
            Target::Declared(file, number) => {
                is_word(&self.documents[file].outline()?.declared[number]).then_some(place)
            }
            Target::Entry(..) => Some(place),
        }
    }

    /// Returns the places that must change if the name at an offset becomes another one.
    ///
    /// # Errors
    ///
    /// The other name may be none, or it may be in use: then a text could mean something else afterwards.
    pub fn rename(&self, file: usize, offset: usize, name: &str) -> Result<Vec<Place>, RenameError> {
        let target = self.target_at(file, offset).ok_or(RenameError::NoName)?.1;
        if self.renamed_at(file, offset).is_none() {
            return Err(RenameError::NoName);
        }
        if let Target::Declared(owner, _) = target
            && let Content::Model(language, _) = &self.documents[owner].content
        {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
            if !name.starts_with(begins) || !name.chars().all(is_part) {
                return Err(RenameError::NotAName(name.to_owned(), language.name()));
            }
            let is_same = |word: &&str| match language.name() {
                "LOTOS" => word.eq_ignore_ascii_case(name),
                _ => *word == name,
            };
            if language.keywords().iter().any(is_same) {
                return Err(RenameError::Keyword(name.to_owned()));
            }
        } else if name.is_empty() || name.contains(['"', '\'', '\\']) || name.contains(char::is_control) {
            return Err(RenameError::NotAName(name.to_owned(), "a study"));
        }
        let places = self.uses(target);
        for document in places.iter().filter_map(|place| self.find(&place.file)) {
            let document = &self.documents[document];
            let is_there = match document.outline() {
                Some(outline) => {
                    let mut words = outline.words.iter().filter(|word| word.kind.is_name());
                    words.any(|word| {
                        word.text.eq_ignore_ascii_case(name)
                            && word.text.len() == name.len()
                            && (word.text == name || document.language() == "LOTOS")
                    })
                }
                None => {
                    let naming = |entry: &&Entry| is_naming(entry);
                    matches!(target, Target::Entry(..))
                        && document.entries().iter().filter(naming).any(|entry| entry.key == name)
                }
            };
            if is_there {
                return Err(RenameError::Taken { name: name.to_owned(), file: document.name.clone() });
            }
        }
        Ok(places)
    }

    /// Returns what the name at an offset refers to, and where the name stands.
    pub(super) fn target_at(&self, file: usize, offset: usize) -> Option<(Range<usize>, Target)> {
        if let Some((word, found)) = self.documents[file].word_at(offset) {
            let target = self.resolve(file, word)?;
            return Some((found.place.clone(), target));
        }
        let entries = self.documents[file].entries();
        for (number, entry) in entries.iter().enumerate() {
            if contains(&entry.key_place, offset) && !entry.key.is_empty() {
                if is_naming(entry) && entry.table != ["constant"] {
                    return Some((entry.key_place.clone(), Target::Entry(file, number)));
                }
                return self.named_in_model(file, &entry.key, &entry.key_place, offset);
            }
            if let Some(text) = entry.text.as_ref().filter(|_| contains(&entry.place, offset)) {
                if let Some(target) = self.named_in_study(file, text) {
                    return Some((entry.place.clone(), target));
                }
                return self.named_in_model(file, text, &entry.place, offset);
            }
        }
        None
    }

    /// Returns what a word of a model refers to, in its own file or in others that are read with it.
    pub(super) fn resolve(&self, file: usize, word: usize) -> Option<Target> {
        let outline = self.documents[file].outline()?;
        if !outline.words[word].kind.is_name() {
            return outline.declared_by(word).map(|number| Target::Declared(file, number));
        }
        if let Some(number) = outline.resolve(word) {
            return Some(Target::Declared(file, number));
        }
        self.visible_from(file).into_iter().filter(|other| *other != file).find_map(|other| {
            let number = self.documents[other].outline()?.exported(&outline.words[word])?;
            Some(Target::Declared(other, number))
        })
    }

    /// Returns the entry of a study that has a name.
    pub(super) fn named_in_study(&self, file: usize, name: &str) -> Option<Target> {
        let entries = self.documents[file].entries();
        let number = entries.iter().position(|entry| is_naming(entry) && entry.key == name)?;
        (entries[number].table != ["constant"]).then_some(Target::Entry(file, number))
    }

    /// Returns what the word at an offset of a text of a study refers to in the model.
    fn named_in_model(
        &self,
        file: usize,
        text: &str,
        place: &Range<usize>,
        offset: usize,
    ) -> Option<(Range<usize>, Target)> {
        if self.documents[file].text.get(place.clone()) != Some(text) {
            return None;
        }
        let (word, qualifier) = word_in(text, offset.checked_sub(place.start)?)?;
        let place = place.start + word.start..place.start + word.end;
        let name = &text[word];
        let target = self.find_in_model(file, name, qualifier)?;
        Some((place, target))
    }

    /// Returns the declaration of a name in the model of a study: a label of a process, if one is given.
    fn find_in_model(&self, file: usize, name: &str, process: Option<&str>) -> Option<Target> {
        let models = self.included_by(file);
        let mut best: Option<(u8, Target)> = None;
        for model in models.into_iter().filter(|model| *model != file) {
            let document = &self.documents[model];
            let Some(outline) = document.outline() else { continue };
            let is_same = |known: &str, name: &str| match document.language() {
                "LOTOS" => known.eq_ignore_ascii_case(name),
                _ => known == name,
            };
            for (number, declared) in outline.declared.iter().enumerate() {
                let parent = declared.parent.map(|parent| outline.declared[parent].name.as_str());
                let owner_fits = match (process, parent) {
                    (Some(process), Some(parent)) => is_same(parent, process),
                    (Some(_), None) => false,
                    (None, _) => true,
                };
                if !is_same(&declared.name, name) || !owner_fits {
                    continue;
                }
                let rank = match declared.kind {
                    NameKind::Label if process.is_some() => 0,
                    NameKind::Parameter | NameKind::Field => 4,
                    NameKind::Label => 3,
                    _ if declared.scope.is_some() => 2,
                    _ => 1,
                };
                if best.is_none_or(|(known, _)| rank < known) {
                    best = Some((rank, Target::Declared(model, number)));
                }
            }
        }
        best.map(|(_, target)| target)
    }

    /// Returns the place of the name of a target.
    pub(super) fn place_of(&self, target: Target) -> Place {
        let (file, place) = match target {
            Target::Declared(file, number) => {
                let declared = self.documents[file].outline().map(|outline| &outline.declared[number]);
                (file, declared.map_or(0..0, |declared| declared.place.clone()))
            }
            Target::Entry(file, number) => (file, self.documents[file].entries()[number].key_place.clone()),
        };
        self.place(file, place)
    }

    /// Returns the places where a target is named, in the order of the files.
    fn uses(&self, target: Target) -> Vec<Place> {
        let mut places = Vec::new();
        let name = match target {
            Target::Declared(file, number) => {
                self.documents[file].outline().map(|outline| outline.declared[number].name.clone())
            }
            Target::Entry(file, number) => Some(self.documents[file].entries()[number].key.clone()),
        };
        let name = name.unwrap_or_default();
        for (file, document) in self.documents.iter().enumerate() {
            if let Some(outline) = document.outline() {
                for (number, word) in outline.words.iter().enumerate() {
                    let is_it = word.text == name || !word.kind.is_name();
                    if is_it && self.resolve(file, number) == Some(target) {
                        places.push(self.place(file, word.place.clone()));
                    }
                }
                continue;
            }
            for entry in document.entries() {
                let mut look = |text: &str, place: &Range<usize>| {
                    for word in words(text).filter(|word| text[word.clone()].eq_ignore_ascii_case(&name)) {
                        let offset = place.start + word.start;
                        if self.target_at(file, offset).is_some_and(|(_, found)| found == target) {
                            places.push(self.place(file, offset..offset + word.len()));
                        }
                    }
                };
                if !entry.key.is_empty() {
                    look(&entry.key, &entry.key_place);
                }
                if let Some(text) = &entry.text {
                    look(text, &entry.place);
                }
            }
            // Names of a study may be more than a word.
            for entry in document.entries() {
                let whole = [(Some(&entry.key), &entry.key_place), (entry.text.as_ref(), &entry.place)];
                for (text, place) in whole {
                    let is_it = text.is_some_and(|text| *text == name && words(text).count() != 1);
                    if is_it && self.target_at(file, place.start).is_some_and(|(_, found)| found == target) {
                        places.push(self.place(file, place.clone()));
                    }
                }
            }
        }
        places.sort_by_key(|place| (self.find(&place.file), place.place.start));
        places.dedup();
        places
    }
}

/// Returns whether the key of an entry is a name of the user.
pub(super) fn is_naming(entry: &Entry) -> bool {
    matches!(&entry.table[..], [table] if NAMING.contains(&table.as_str()))
}

/// Returns whether an offset is in a place, or at its end.
pub(super) fn contains(place: &Range<usize>, offset: usize) -> bool {
    place.start <= offset && offset <= place.end
}

/// Returns the words of a text.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_part)?;
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |length| start + length);
        at = end;
        Some(start..end)
    })
}

/// Returns the word at an offset of a text, with the process before it, as in `host:submit` and
/// `host@submit`.
fn word_in(text: &str, offset: usize) -> Option<(Range<usize>, Option<&str>)> {
    let word = words(text).find(|word| contains(word, offset))?;
    let before = text[..word.start].strip_suffix([':', '@']);
    let process = before.and_then(|before| {
        // `flash[1]:read` is about an instance.
        let before = before
            .strip_suffix(']')
            .map_or(before, |inner| inner.rsplit_once('[').map_or(inner, |(name, _)| name));
        let last = words(before).last()?;
        (last.end == before.len()).then(|| &before[last])
    });
    Some((word, process))
}
