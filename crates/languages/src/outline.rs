//! What a text names, and where: for editors, whose texts are mostly unfinished.
//!
//! An outline is made from the words of a text as it stands, before macros are expanded and whether or not it
//! is correct. So it knows where a macro or an inline is used, which the tree of a model no longer tells.

use std::ops::Range;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// What runs: a proctype of Promela, a process of LOTOS.
    Process,
    /// A module of SMV.
    Module,
    /// A piece of text with parameters: an inline, a macro with parameters.
    Inline,
    /// A macro.
    Macro,
    /// A type or sort.
    Type,
    /// A component of a structure.
    Field,
    /// A constant: of an enumeration, an `mtype`.
    Constant,
    /// An expression with a name.
    Definition,
    /// A variable.
    Variable,
    /// A channel.
    Channel,
    /// A parameter.
    Parameter,
    /// A label.
    Label,
    /// A gate of LOTOS.
    Gate,
    /// An operation of LOTOS.
    Operation,
    /// A formula with a name.
    Property,
}

/// Where a name is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The name, as the language compares it.
    pub name: String,
    /// What it stands for.
    pub kind: NameKind,
    /// Where the name stands.
    pub place: Range<usize>,
    /// All of the declaration.
    pub extent: Range<usize>,
    /// Where it is known; `None` if everywhere, also in files that include this one.
    pub scope: Option<Range<usize>>,
    /// In which declaration of the outline it stands.
    pub parent: Option<usize>,
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// A word of the language.
    Keyword,
    /// A name by itself.
    Name,
    /// A name after a dot: a component of what this word names.
    Member(Option<usize>),
    /// The name of a label, as in `goto again`; after `P@`, that of a label of `P`, which is this word.
    Label(Option<usize>),
    /// The name of a variable of a process, as in `P:x`; the process is this word.
    Remote(usize),
    /// A number.
    Number,
    /// A text between quotes.
    Text,
    /// A directive of the preprocessor, such as `#define`.
    Directive,
}

impl WordKind {
    /// Returns whether it names something.
    pub fn is_name(self) -> bool {
        matches!(self, WordKind::Name | WordKind::Member(_) | WordKind::Label(_) | WordKind::Remote(_))
    }
}

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word, as the language compares it.
    pub text: String,
    /// Where it stands.
    pub place: Range<usize>,
    /// What it is.
    pub kind: WordKind,
}

/// A file that a text includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    /// The name of the file, as written.
    pub path: String,
    /// Where it stands, without quotes.
    pub place: Range<usize>,
    /// Whether it stands between `<` and `>`.
    pub is_system: bool,
}

/// What a text names, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The declarations, in the order of their names' places.
    pub declared: Vec<Declared>,
    /// The words, in order; comments and signs are not among them.
    pub words: Vec<Word>,
    /// What is included.
    pub includes: Vec<Include>,
}

impl Outline {
    /// Returns the number of the word at an offset, or just before it.
    pub fn word_at(&self, offset: usize) -> Option<usize> {
        let next = self.words.partition_point(|word| word.place.start <= offset);
        let word = next.checked_sub(1)?;
        (self.words[word].place.end >= offset).then_some(word)
    }

    /// Returns the number of the declaration that a word is the name of.
    pub fn declared_by(&self, word: usize) -> Option<usize> {
        let place = &self.words[word].place;
        self.declared.iter().position(|declared| declared.place == *place)
    }

    /// Returns the number of the declaration in this text that a word refers to.
    pub fn resolve(&self, word: usize) -> Option<usize> {
        self.declared_by(word).or_else(|| self.find(&self.words[word], self.words[word].place.start))
    }

    /// Returns the number of the declaration in this text that a word of another one, which includes it,
    /// refers to.
    pub fn exported(&self, word: &Word) -> Option<usize> {
        if matches!(word.kind, WordKind::Member(_)) {
            return self.only_component(word);
        }
        let is_known = |declared: &Declared| match word.kind {
            WordKind::Name => declared.scope.is_none(),
            _ => true,
        };
        self.declared.iter().position(|declared| {
            declared.name == word.text && may_mean(word.kind, declared.kind) && is_known(declared)
        })
    }

    /// Returns what a name at a place refers to: of the smallest scope, and there the last one before it.
    fn find(&self, word: &Word, place: usize) -> Option<usize> {
        let owner = match word.kind {
            WordKind::Member(whole) => match whole.and_then(|whole| self.structure(whole)) {
                Some(structure) => Some(structure),
                None => return self.only_component(word),
            },
            WordKind::Label(Some(process)) | WordKind::Remote(process) => Some(self.resolve(process)?),
            _ => None,
        };
        let is_known = |declared: &Declared| match owner {
            Some(owner) => declared.parent == Some(owner),
            None => declared.scope.as_ref().is_none_or(|scope| scope.contains(&place)),
        };
        let fits = |declared: &Declared| {
            declared.name == word.text && may_mean(word.kind, declared.kind) && is_known(declared)
        };
        let rank = |declared: &Declared| {
            let size = declared.scope.as_ref().map_or(usize::MAX, Range::len);
            let distance = place.checked_sub(declared.place.start);
            (size, distance.is_none(), distance.unwrap_or(declared.place.start))
        };
        let candidates = self.declared.iter().enumerate().filter(|(_, declared)| fits(declared));
        candidates.min_by_key(|(_, declared)| rank(declared)).map(|(number, _)| number)
    }

    /// Returns the type or module of what a word names: its declaration mentions it.
    pub fn structure(&self, word: usize) -> Option<usize> {
        let declared = &self.declared[self.resolve(word)?];
        let first = self.words.partition_point(|word| word.place.start < declared.extent.start);
        let words = &self.words[first..];
        let words = words.iter().take_while(|word| word.place.start < declared.extent.end);
        let types = words.filter(|word| word.kind == WordKind::Name);
        let mut targets = types.filter_map(|word| self.find(word, word.place.start));
        targets.find(|target| matches!(self.declared[*target].kind, NameKind::Type | NameKind::Module))
    }

    /// Returns the component of a name, if there is one such component only.
    fn only_component(&self, word: &Word) -> Option<usize> {
        let fits = |declared: &Declared| {
            declared.name == word.text
                && may_mean(word.kind, declared.kind)
                && declared.parent.is_some_and(|parent| {
                    matches!(self.declared[parent].kind, NameKind::Type | NameKind::Module)
                })
        };
        let mut found = self.declared.iter().enumerate().filter(|(_, declared)| fits(declared));
        let (first, another) = (found.next(), found.next());
        first.filter(|_| another.is_none()).map(|(number, _)| number)
    }

    /// Returns the name that encloses an offset, if one does.
    pub fn enclosing(&self, offset: usize) -> Option<usize> {
        let around = |declared: &&Declared| declared.extent.contains(&offset);
        let closest = self.declared.iter().filter(around).min_by_key(|declared| declared.extent.len())?;
        self.declared.iter().position(|declared| declared == closest)
    }
}

/// Returns whether a word of a kind may be the name of something.
fn may_mean(word: WordKind, declared: NameKind) -> bool {
    match word {
        WordKind::Name => !matches!(declared, NameKind::Field | NameKind::Label),
        WordKind::Member(_) => {
            matches!(declared, NameKind::Field | NameKind::Variable | NameKind::Definition)
        }
        WordKind::Label(_) => declared == NameKind::Label,
        WordKind::Remote(_) => {
            matches!(declared, NameKind::Variable | NameKind::Channel | NameKind::Parameter)
        }
        _ => false,
    }
}

/// Collects an outline while a language walks over its words.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    pub(crate) outline: Outline,
}

impl Collector {
    /// Declares a name, and returns its number. Extent and scope can be changed later.
    pub(crate) fn declare(
        &mut self,
        name: &str,
        kind: NameKind,
        place: Range<usize>,
        scope: Option<Range<usize>>,
        parent: Option<usize>,
    ) -> usize {
        let extent = place.clone();
        self.outline.declared.push(Declared { name: name.to_owned(), kind, place, extent, scope, parent });
        self.outline.declared.len() - 1
    }

    /// Sets the end of a declaration.
    pub(crate) fn end(&mut self, number: usize, end: usize) {
        let extent = &mut self.outline.declared[number].extent;
        extent.end = extent.end.max(end);
    }

    /// Returns the number of the word that stands at a place.
    pub(crate) fn word_of(&self, place: &Range<usize>) -> Option<usize> {
        let words = &self.outline.words;
        words.binary_search_by_key(&place.start, |word| word.place.start).ok()
    }

    /// Adds a word, and returns its number.
    pub(crate) fn word(&mut self, text: &str, place: Range<usize>, kind: WordKind) -> usize {
        self.outline.words.push(Word { text: text.to_owned(), place, kind });
        self.outline.words.len() - 1
    }
}
