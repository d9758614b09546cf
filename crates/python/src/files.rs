//! Files that models and studies name.

use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use narrows::{LoadError, Loaded, Loader};

/// The largest text that is read.
const LARGEST: u64 = 64 << 20;

/// Finds files beside the one that names them, then in these folders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Files(pub(crate) Vec<PathBuf>);

impl Loader for Files {
    fn load(&self, path: &str, from: &str, system: bool) -> Result<Loaded, LoadError> {
        let beside = Path::new(from).parent().filter(|_| !system);
        let mut reason = LoadError::NotFound { searched: "beside it or in the folders of `include`".into() };
        for folder in beside.into_iter().chain(self.0.iter().map(PathBuf::as_path)) {
            let file = folder.join(path);
            let name = file.display().to_string();
            match text(&file) {
                Ok(text) => return Ok(Loaded { name, text }),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => reason = LoadError::Unreadable { name, reason: error.to_string() },
            }
        }
        Err(reason)
    }
}

/// Reads a text. A pipe or a device may keep a reader waiting for ever, and is not read.
fn text(file: &Path) -> io::Result<String> {
    if !std::fs::metadata(file)?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "larger than 64 MiB"));
    }
    if bytes.contains(&0) {
        return Err(io::Error::new(ErrorKind::InvalidData, "not a text file"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
