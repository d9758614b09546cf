//! `narrows serve`: the workbench, in a browser of this machine.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use narrows::{LoadError, Loaded, Loader};
use narrows_server::{Environment, FileEntry, Folder, FolderError, serve};

use crate::input::{Disk, read_text};
use crate::limits::{self, Clock, interrupt_flag};
use crate::{output, reading};

const EXAMPLES: &str = "\
Examples:
  narrows serve                            the models and studies of this folder
  narrows serve examples --port 7878       always at the same address";

/// Work in a browser: edit, check, simulate, find bottlenecks; for this machine alone
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder whose models and studies are worked with; nothing outside of it is read or written
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,

    /// The port [default: one that is free]
    #[arg(long, value_name = "NUMBER", default_value_t = 0, hide_default_value = true)]
    port: u16,

    /// Use at most this much memory for a run, such as 4G or 500M [default: 40 % of what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = limits::parse_memory)]
    memory: Option<u64>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<u8> {
    let folder = Files::new(&arguments.folder)?;
    // What models include is looked for there as well.
    reading::confine(&folder.root)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port));
    let listener = listener.with_context(|| {
        format!("can't serve at port {}: leave --port out to take one that is free", arguments.port)
    })?;
    let address = listener.local_addr()?;
    let token = token()?;
    let interrupted = interrupt_flag()?;
    let never = Arc::new(AtomicBool::new(false));
    // Two runs may be under way at the same time.
    let memory = arguments.memory.unwrap_or_else(|| limits::default_memory() / 2);
    output::print_next(&format!(
        "Open this address in a browser of this machine; Ctrl-C ends the server.\n\n  \
         http://{address}/?token={token}\n"
    ))?;
    serve(
        listener,
        Environment {
            folder: Box::new(folder),
            budget: Box::new(move |seconds| {
                let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
                Clock::with(Some(time), Some(memory), true, "", &never).budget()
            }),
            stack: limits::stack(),
            token,
        },
        &interrupted,
    )?;
    Ok(0)
}

/// Returns 32 letters and digits that nobody can guess.
fn token() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.context("can't read /dev/urandom, and without random numbers anybody could get in")?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// So many files are listed.
const MAX_FILES: usize = 2000;
/// Folders this deep are looked into.
const MAX_DEPTH: usize = 8;

/// The files of a folder. Their names are paths below it.
struct Files {
    root: PathBuf,
}

impl Files {
    fn new(folder: &Path) -> anyhow::Result<Files> {
        let root = folder.canonicalize().with_context(|| format!("can't serve `{}`", folder.display()))?;
        anyhow::ensure!(root.is_dir(), "`{}` is not a folder: name the one it is in", folder.display());
        Ok(Files { root })
    }

    /// Returns where a file is; what leads out of the folder, by its name or by links, is refused.
    fn real(&self, path: &str) -> Result<PathBuf, FolderError> {
        let refused = |reason: &str| FolderError::Refused(path.to_owned(), reason.to_owned());
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if path.is_empty() || path.contains(['\0', '\\']) || !Path::new(path).components().all(is_plain) {
            return Err(refused("not a file of this folder"));
        }
        let whole = self.root.join(path);
        let name = whole.file_name().ok_or_else(|| refused("not a file"))?;
        let parent = whole.parent().unwrap_or(&self.root).canonicalize();
        let parent = parent.map_err(|_| FolderError::Missing(path.to_owned()))?;
        if !parent.starts_with(&self.root) {
            return Err(refused("a link leads out of this folder"));
        }
        let whole = parent.join(name);
        match whole.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                let target = whole.canonicalize().map_err(|_| FolderError::Missing(path.to_owned()))?;
                if target.starts_with(&self.root) {
                    Ok(target)
                } else {
                    Err(refused("a link leads out of this folder"))
                }
            }
            _ => Ok(whole),
        }
    }

    fn collect(&self, folder: &Path, depth: usize, endings: &[&str], files: &mut Vec<FileEntry>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
            if files.len() > MAX_FILES || name.starts_with('.') {
                continue;
            }
            let path = entry.path();
            if kind.is_dir() {
                let is_work = !matches!(name.as_str(), "target" | "node_modules");
                if depth < MAX_DEPTH && is_work {
                    self.collect(&path, depth + 1, endings, files);
                }
                continue;
            }
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if !endings.contains(&ending.to_lowercase().as_str()) {
                continue;
            }
            let Some(path) = path.strip_prefix(&self.root).ok().and_then(Path::to_str) else { continue };
            // Links that lead out are not there.
            let Some(size) = self.real(path).ok().and_then(|real| real.metadata().ok()) else { continue };
            if size.is_file() {
                files.push(FileEntry { path: path.to_owned(), size: size.len() });
            }
        }
    }
}

impl Loader for Files {
    fn load(&self, path: &str, from: &str, system: bool) -> Result<Loaded, LoadError> {
        let from = self.root.join(from).display().to_string();
        let loaded = Disk { folders: &[] }.load(path, &from, system)?;
        let real = Path::new(&loaded.name).canonicalize().unwrap_or_else(|_| PathBuf::from(&loaded.name));
        let name = real.strip_prefix(&self.root).ok().and_then(Path::to_str);
        let name = name.map_or(loaded.name.clone(), str::to_owned);
        Ok(Loaded { name, text: loaded.text })
    }
}

impl Folder for Files {
    fn name(&self) -> String {
        self.root.display().to_string()
    }

    fn list(&self, endings: &[&str]) -> Result<(Vec<FileEntry>, bool), FolderError> {
        let mut files = Vec::new();
        self.collect(&self.root, 0, endings, &mut files);
        let has_more = files.len() > MAX_FILES;
        files.truncate(MAX_FILES);
        Ok((files, has_more))
    }

    fn read(&self, path: &str) -> Result<String, FolderError> {
        let real = self.real(path)?;
        read_text(&real).map_err(|error| match error.kind() {
            ErrorKind::NotFound => FolderError::Missing(path.to_owned()),
            _ => FolderError::Refused(path.to_owned(), error.to_string()),
        })
    }

    fn write(&self, path: &str, text: &str) -> Result<(), FolderError> {
        let real = self.real(path)?;
        let failed = |error: std::io::Error| FolderError::Refused(path.to_owned(), error.to_string());
        if real.exists() && !real.is_file() {
            return Err(FolderError::Refused(path.to_owned(), "not a file".to_owned()));
        }
        // Written beside it first: who reads it meanwhile sees the old text.
        let beside = real.with_file_name(format!(".narrows-{}.tmp", std::process::id()));
        let written = File::create(&beside).and_then(|mut file| {
            if let Ok(old) = real.metadata() {
                file.set_permissions(old.permissions())?;
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&beside, &real)
        });
        if written.is_err() {
            // What is left of it is of no use.
            let _ = fs::remove_file(&beside);
        }
        written.map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use narrows::Loader;
    use narrows_server::Folder;

    use super::{Files, token};

    /// A folder with a secret beside what is served.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> (Scratch, Files) {
            let folder = std::env::temp_dir().join(format!("narrows-serve-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            let inside = folder.join("work");
            fs::create_dir_all(inside.join("sub")).expect("a folder");
            fs::write(folder.join("secret.pml"), "secret").expect("a file");
            fs::write(inside.join("a.pml"), "byte x;").expect("a file");
            fs::write(inside.join("sub/b.h"), "byte y;").expect("a file");
            let files = Files::new(&inside).expect("a folder");
            (Scratch(folder), files)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn nothing_outside_is_read_or_written() {
        let (scratch, files) = Scratch::new("outside");
        let secret = scratch.0.join("secret.pml");
        #[cfg(unix)]
        {
            let link = |from: &Path, to: &str| std::os::unix::fs::symlink(from, files.root.join(to));
            link(&secret, "link.pml").expect("a link");
            link(&scratch.0, "out").expect("a link");
            link(&files.root.join("a.pml"), "inner.pml").expect("a link");
        }
        for path in [
            "../secret.pml",
            "sub/../../secret.pml",
            "/etc/passwd",
            "link.pml",
            "out/secret.pml",
            "./../secret.pml",
            "",
            "a\\..\\..\\secret.pml",
            secret.to_str().expect("a name"),
        ] {
            assert!(files.read(path).is_err(), "{path}");
            assert!(files.write(path, "changed").is_err(), "{path}");
        }
        assert_eq!(fs::read_to_string(&secret).expect("it is there"), "secret");
        assert_eq!(files.read("inner.pml").expect("a link inside"), "byte x;");
        let (listed, _) = files.list(&["pml", "h"]).expect("a list");
        let names: Vec<&str> = listed.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(names, ["a.pml", "inner.pml", "sub/b.h"]);
    }

    #[test]
    fn texts_are_replaced_as_a_whole() {
        let (_scratch, files) = Scratch::new("write");
        files.write("sub/new.pml", "byte z;").expect("a new file");
        files.write("a.pml", "byte w;").expect("an old file");
        assert_eq!(files.read("a.pml").expect("a text"), "byte w;");
        assert_eq!(files.load("sub/b.h", "a.pml", false).expect("an included file").name, "sub/b.h");
        assert_eq!(fs::read_dir(files.root.join("sub")).expect("a folder").count(), 2);
    }

    #[test]
    fn tokens_differ() {
        let (one, other) = (token().expect("a token"), token().expect("a token"));
        assert!(one.len() == 32 && one != other);
    }
}
