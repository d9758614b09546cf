//! Which files may be read: none that a reader could wait for without end, and for untrusted models only
//! those of one folder.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The folder that everything a model or a study names must be in, if the user said so.
static ONLY: OnceLock<PathBuf> = OnceLock::new();

/// What another process has read for this one, which then reads nothing itself.
static PROVIDED: OnceLock<BTreeMap<String, String>> = OnceLock::new();

/// What has been read, while somebody wants to know.
static RECORD: Mutex<Option<BTreeMap<String, String>>> = Mutex::new(None);

/// Takes files from another process, by name: no others are read from now on.
pub(crate) fn provide(files: BTreeMap<String, String>) {
    // A process takes part in one run.
    let _ = PROVIDED.set(files);
}

/// Returns whether files come from another process, which has warned about what is in them.
pub(crate) fn is_provided() -> bool {
    PROVIDED.get().is_some()
}

/// Returns a file that another process has read for this one, if it reads files so.
pub(crate) fn provided(path: &Path) -> Option<io::Result<String>> {
    let text = PROVIDED.get()?.get(&path.display().to_string()).cloned();
    Some(text.ok_or_else(|| io::ErrorKind::NotFound.into()))
}

/// Notes every file that is read meanwhile; returns them too.
pub(crate) fn recorded<T>(read: impl FnOnce() -> T) -> (T, BTreeMap<String, String>) {
    let lock = || RECORD.lock().unwrap_or_else(PoisonError::into_inner);
    *lock() = Some(BTreeMap::new());
    let result = read();
    (result, lock().take().unwrap_or_default())
}

/// Notes that a file was read.
pub(crate) fn record(path: &Path, text: &str) {
    if let Some(files) = RECORD.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        files.insert(path.display().to_string(), text.to_owned());
    }
}

/// Reads a file as models are read, to compare it.
pub(crate) fn read_as_text(path: &Path) -> io::Result<String> {
    check_kind(path)?;
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

/// Confines what models and studies name to a folder.
pub(crate) fn confine(folder: &Path) -> anyhow::Result<()> {
    let real = folder.canonicalize();
    let real = real.map_err(|error| anyhow::anyhow!("--include-only {}: {error}", folder.display()))?;
    anyhow::ensure!(real.is_dir(), "--include-only {}: it is not a folder", folder.display());
    // The command line is read once.
    let _ = ONLY.set(real);
    Ok(())
}

/// Makes sure that a file that a model or a study names may be read; the error says why not.
///
/// Links are followed first, so that one that leads out of the folder does not help.
pub(crate) fn check_named(path: &Path) -> io::Result<()> {
    match ONLY.get() {
        _ if is_provided() => Ok(()),
        Some(folder) => check_within(path, folder),
        None => Ok(()),
    }
}

fn check_within(path: &Path, folder: &Path) -> io::Result<()> {
    let real = path.canonicalize();
    // Of what is not there, at least the folder must be inside: nobody learns what there is elsewhere.
    let beside = path.parent().and_then(|parent| Path::new(".").join(parent).canonicalize().ok());
    if real.as_ref().ok().or(beside.as_ref()).is_some_and(|real| real.starts_with(folder)) {
        return real.map(|_| ());
    }
    let reason = format!("it is outside of {}, and --include-only allows nothing else", folder.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, reason))
}

/// Makes sure that a path leads to a file: a pipe or a device may keep a reader waiting for ever.
///
/// What the shell itself opened for the program, as in `<(…)`, is read.
pub(crate) fn check_kind(path: &Path) -> io::Result<()> {
    let kind = std::fs::metadata(path)?.file_type();
    let is_opened =
        path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd") || path == Path::new("/dev/stdin");
    if kind.is_file() || kind.is_dir() || is_opened {
        return Ok(());
    }
    let reason = "it is a pipe or a device, not a file; `<(…)` and `/dev/stdin` can be read";
    Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{check_kind, check_within};

    #[test]
    fn a_folder_confines() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().expect("the sources are here");
        let inside = source.join("src");
        assert!(check_within(&inside.join("main.rs"), &inside).is_ok());
        let outside = check_within(&inside.join("../Cargo.toml"), &inside).expect_err("it is outside");
        assert!(outside.to_string().contains("--include-only"), "{outside}");
        assert!(check_within(&inside.join("none.rs"), &inside).is_err());
    }

    #[test]
    fn only_files_are_read() {
        assert!(check_kind(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).is_ok());
        assert!(check_kind(Path::new("/dev/zero")).is_err());
    }
}
