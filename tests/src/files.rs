//! The models of a folder, and the files that they include.

use std::fs;
use std::path::{Path, PathBuf};

use narrows_source::{LoadError, Loaded, Loader};

/// Loads the files that a model includes from beside it.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, from: &str, _system: bool) -> Result<Loaded, LoadError> {
        let path = Path::new(from).with_file_name(path);
        let name = path.display().to_string();
        match fs::read(&path) {
            Ok(bytes) => Ok(Loaded { name, text: String::from_utf8_lossy(&bytes).into_owned() }),
            Err(error) => Err(LoadError::Unreadable { name, reason: error.to_string() }),
        }
    }
}

/// Returns the names and texts of the Promela models in some folders and below them, in the order of the
/// names in each; of a folder that does not exist, none.
pub fn promela_models(folders: &[&Path]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in folders {
        collect(folder, &mut found);
    }
    let read = |path: &PathBuf| {
        let bytes = fs::read(path).expect("the model can be read");
        (path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned())
    };
    found.iter().map(read).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            found.push(path);
        }
    }
}
