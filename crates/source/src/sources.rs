//! Files by number, and byte ranges in them.

/// Names one of the [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u32);

/// A range of bytes in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Makes a span.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// Returns the smallest span that covers both; `self` if they lie in different files.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A line and a column, both counted from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// One file's name and text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name as the user gave it, or as an include found it.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    fn new(name: String, text: String) -> Self {
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|b| b.1 == b'\n').map(|b| b.0 as u32 + 1));
        SourceFile { line_starts: line_starts.collect(), name, text }
    }

    /// Returns the text of a line (counted from 1) without its line break.
    pub fn line(&self, line: usize) -> &str {
        let start = self.line_starts.get(line.wrapping_sub(1)).map_or(self.text.len(), |s| *s as usize);
        let end = self.line_starts.get(line).map_or(self.text.len(), |s| *s as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// Returns how many lines there are.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts[line - 1] as usize;
        let end = (offset as usize).min(self.text.len());
        Position { line, column: self.text.get(start..end).map_or(0, |text| text.chars().count()) + 1 }
    }
}

/// All files that belong to one model.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a file.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.files.push(SourceFile::new(name.into(), text.into()));
        FileId(self.files.len() as u32 - 1)
    }

    /// Returns a file.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// Returns every file with its number.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(index, file)| (FileId(index as u32), file))
    }

    /// Returns where a span starts.
    pub fn position(&self, span: Span) -> Position {
        self.file(span.file).position(span.start)
    }

    /// Returns the text a span covers.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

/// What a [`Loader`] found.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The name to show for the file.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Why a [`Loader`] found nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// Texts can't include files here.
    #[error("there are no files here")]
    NoFiles,
    /// There is no file of that name.
    #[error("there is no such file {searched}")]
    NotFound {
        /// Where it was searched for, such as `beside it`.
        searched: String,
    },
    /// There is a file, but it can't be read.
    #[error("`{name}`: {reason}")]
    Unreadable {
        /// The name of the file.
        name: String,
        /// The reason.
        reason: String,
    },
}

/// Finds the files that a text includes; only the program itself touches the disk.
pub trait Loader {
    /// Loads `path` as written in the file called `from`; `system` is true for `<path>`.
    fn load(&self, path: &str, from: &str, system: bool) -> Result<Loaded, LoadError>;
}

/// Loads nothing: for texts that include no files.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, _path: &str, _from: &str, _system: bool) -> Result<Loaded, LoadError> {
        Err(LoadError::NoFiles)
    }
}
