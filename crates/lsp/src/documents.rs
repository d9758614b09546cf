//! What is open in the editor, and the loader that knows it.

use std::collections::HashMap;

use lsp_types::{TextDocumentContentChangeEvent, Uri};
use narrows::editing::{Document, Files, Lines};
use narrows::{LoadError, Loaded, Loader};

use crate::places::{name_of, normal, offset, uri_of};

/// A text that is open.
pub(crate) struct Open {
    pub(crate) uri: Uri,
    pub(crate) version: i32,
    pub(crate) document: Document,
}

/// All texts that are open, by the names of their files.
#[derive(Default)]
pub(crate) struct Documents {
    open: HashMap<String, Open>,
}

impl Documents {
    /// Takes a text that was opened, and returns its name.
    pub(crate) fn open(&mut self, uri: Uri, version: i32, language: &str, text: String) -> String {
        let name = name_of(&uri);
        // A text without a file has a name that tells nothing.
        let named = match language {
            "promela" if !name.contains('.') => format!("{name}.pml"),
            _ => name.clone(),
        };
        let mut document = Document::new(named, text);
        document.name.clone_from(&name);
        self.open.insert(name.clone(), Open { uri, version, document });
        name
    }

    /// Applies changes to a text, and returns its name.
    pub(crate) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> Option<String> {
        let name = name_of(uri);
        let known = self.open.get_mut(&name)?;
        let mut text = known.document.text.clone();
        for change in changes {
            match change.range {
                None => text = change.text,
                Some(range) => {
                    let lines = Lines::new(&text);
                    let (start, end) = (offset(&lines, range.start), offset(&lines, range.end));
                    text.replace_range(start..end.max(start), &change.text);
                }
            }
        }
        known.version = version;
        known.document = Document::new(name.clone(), text);
        Some(name)
    }

    pub(crate) fn close(&mut self, uri: &Uri) -> String {
        let name = name_of(uri);
        self.open.remove(&name);
        name
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Open> {
        self.open.get(name)
    }

    /// Returns the names of all that are open, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.open.keys().cloned().collect();
        names.sort();
        names
    }

    /// Returns the address of a file, as the editor wrote it if it is open.
    pub(crate) fn uri(&self, name: &str) -> Option<Uri> {
        self.open.get(name).map_or_else(|| uri_of(name), |open| Some(open.uri.clone()))
    }

    /// Returns the open texts with all that they name; the one of this name comes first.
    pub(crate) fn files(&self, first: &str, disk: &dyn Loader) -> Option<Files> {
        let mut documents = vec![self.open.get(first)?.document.clone()];
        let others = self.names().into_iter().filter(|name| name != first);
        documents.extend(others.filter_map(|name| Some(self.open.get(&name)?.document.clone())));
        Some(Files::new(documents, &self.overlay(disk)))
    }

    /// Returns a loader that knows what is open before what is on disk.
    pub(crate) fn overlay<'d>(&self, disk: &'d dyn Loader) -> Overlay<'d> {
        let texts = self.open.iter().map(|(name, open)| (name.clone(), open.document.text.clone()));
        Overlay { texts: texts.collect(), disk }
    }
}

/// A loader that knows what is open before what is on disk.
pub(crate) struct Overlay<'d> {
    pub(crate) texts: HashMap<String, String>,
    pub(crate) disk: &'d dyn Loader,
}

impl Loader for Overlay<'_> {
    fn load(&self, path: &str, from: &str, system: bool) -> Result<Loaded, LoadError> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = if path.starts_with('/') { normal(path) } else { normal(&format!("{folder}/{path}")) };
        if let Some(text) = self.texts.get(&beside).filter(|_| !system) {
            return Ok(Loaded { name: beside, text: text.clone() });
        }
        let loaded = self.disk.load(path, from, system)?;
        let name = normal(&loaded.name);
        match self.texts.get(&name) {
            Some(text) => Ok(Loaded { name, text: text.clone() }),
            None => Ok(Loaded { name, text: loaded.text }),
        }
    }
}
