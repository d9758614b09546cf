//! `--checkpoint` on several machines: a folder with a part for each worker, which all processes see.
//!
//! Parts of a level are written beside those of the last one. When all are safe, process 0 writes a manifest
//! that names the level, and takes the older parts away. So whatever happens, there is a whole set of parts
//! or none, and any number of workers goes on from it.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use narrows::Progress;
use narrows_cluster::{Cut, Parts};
use narrows_model::Limit;
use narrows_report::{count, grouped};

use crate::checkpoint::{PART, body, head, verify, write_whole};
use crate::{output, watchdog};

/// A folder in which a search is saved.
pub(super) struct Folder {
    path: PathBuf,
    /// What all parts about the same subject begin with.
    head: String,
    every: Duration,
    quiet: bool,
    is_first: bool,
    /// What was there at the start.
    earlier: Option<Cut>,
    state: Mutex<State>,
}

struct State {
    /// When it is next saved.
    due: Instant,
    /// How long that took last.
    took: Duration,
    /// The level that was saved last, or was to be.
    last: Option<u32>,
    /// Why there is no going on from the parts.
    refused: Option<String>,
    /// Whether a whole set of parts is there.
    is_there: bool,
    /// Whether somebody was told how far the search was.
    is_told: bool,
}

const MANIFEST: &str = "manifest";

impl Folder {
    /// Opens a folder, and makes sure that what is in it is whole, and about the same.
    pub(super) fn open(
        path: &Path,
        every: Duration,
        fingerprint: u64,
        quiet: bool,
        is_first: bool,
    ) -> anyhow::Result<Folder> {
        let name = path.display();
        ensure!(!path.is_file(), "`{name}` is a file; a search on several machines is saved in a folder");
        std::fs::create_dir_all(path).with_context(|| format!("can't make the folder `{name}`"))?;
        let head = head(fingerprint);
        let earlier = earlier(path, &head).with_context(|| {
            format!("can't go on from `{name}`; delete it, or give another name with --checkpoint")
        })?;
        let state = State {
            due: Instant::now() + every,
            took: Duration::ZERO,
            last: None,
            refused: None,
            is_there: earlier.is_some(),
            is_told: false,
        };
        let path = path.to_owned();
        Ok(Folder { path, head, every, quiet, is_first, earlier, state: Mutex::new(state) })
    }

    /// Returns what all processes must see alike.
    pub(super) fn seen(&self) -> String {
        self.earlier.map(manifest).unwrap_or_default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn say(&self, text: &str) {
        if self.is_first && !self.quiet {
            output::note(text);
        }
    }

    /// Ends a search: if nothing is left of it, removes the parts, and otherwise says that they are there.
    pub(super) fn finish(&self, limits: &[Limit]) -> anyhow::Result<()> {
        let state = self.state();
        let name = self.path.display();
        if let Some(reason) = &state.refused {
            bail!("can't go on from `{name}`: {reason}; delete it, or give another name with --checkpoint");
        }
        let is_stopped = |limit: &Limit| {
            matches!(limit, Limit::Time | Limit::Memory | Limit::Interrupted | Limit::HostLost)
        };
        if limits.iter().any(is_stopped) {
            if state.is_there {
                self.say(&format!("the search is saved in `{name}`; the same command goes on from there"));
            }
            return Ok(());
        }
        if self.is_first {
            let manifest = self.path.join(MANIFEST);
            if state.is_there {
                std::fs::remove_file(&manifest)
                    .with_context(|| format!("can't remove `{}`", manifest.display()))?;
            }
            self.clean(None);
            // Where there is something else in it, it stays.
            let _ = std::fs::remove_dir(&self.path);
        }
        Ok(())
    }

    /// Removes all parts but those of a level.
    fn clean(&self, kept: Option<u32>) {
        let kept = kept.map(|level| format!("part-{level}-"));
        for entry in std::fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_kept = kept.as_ref().is_some_and(|kept| name.starts_with(kept));
            if name.starts_with("part-") && !is_kept {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

fn part(path: &Path, level: u32, worker: usize) -> PathBuf {
    path.join(format!("part-{level}-{worker}"))
}

fn manifest(cut: Cut) -> String {
    format!("level {}\nworkers {}\n", cut.level, cut.workers)
}

/// Returns the last cut of which all parts are there.
fn earlier(path: &Path, head: &str) -> anyhow::Result<Option<Cut>> {
    let text = match std::fs::read_to_string(path.join(MANIFEST)) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut lines = text.strip_prefix(head).unwrap_or(&text).lines();
    let mut number = |name: &str| lines.next()?.strip_prefix(name)?.trim().parse::<u32>().ok();
    let (level, workers) = (number("level "), number("workers "));
    ensure!(
        text.starts_with(head),
        "it is of another version, or about another model, or other questions or options"
    );
    let (Some(level), Some(workers)) = (level, workers) else { bail!("its manifest is damaged") };
    let cut = Cut { level, workers: workers as usize };
    for worker in 0..cut.workers {
        let name = part(path, level, worker);
        let file = File::open(&name).with_context(|| {
            format!("`{}` is not there; all processes must see the same folder", name.display())
        })?;
        verify(&file, head).with_context(|| format!("`{}`", name.display()))?;
    }
    Ok(Some(cut))
}

impl Parts for Folder {
    fn is_due(&self) -> bool {
        Instant::now() >= self.state().due
    }

    fn save(&self, cut: Cut, worker: usize, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> bool {
        let begun = Instant::now();
        let name = part(&self.path, cut.level, worker);
        let saved = watchdog::uninterrupted(|| write_whole(&name, &self.head, write));
        let mut state = self.state();
        state.took = state.took.max(begun.elapsed());
        match saved {
            Ok(_) => true,
            Err(error) => {
                // The search is worth more than what is saved of it.
                output::warning(&format!("can't save the search in `{}`: {error}", self.path.display()));
                let _ = std::fs::remove_file(&name);
                false
            }
        }
    }

    fn saved(&self, cut: Cut, are_safe: bool) {
        let mut state = self.state();
        if state.last.replace(cut.level) == Some(cut.level) {
            // Another worker of this process was here before.
            return;
        }
        state.due = Instant::now() + self.every.max(state.took * PART);
        state.took = Duration::ZERO;
        if !are_safe {
            return;
        }
        state.is_there = true;
        if !self.is_first {
            return;
        }
        let text = format!("{}{}", self.head, manifest(cut));
        let (beside, path) = (self.path.join("manifest.tmp"), self.path.join(MANIFEST));
        let write = || {
            let mut file = File::create(&beside)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&beside, &path)?;
            File::open(&self.path)?.sync_all()
        };
        match write() {
            Ok(()) => {
                self.clean(Some(cut.level));
                self.say(&format!(
                    "saved the search in `{}`: depth {}",
                    self.path.display(),
                    grouped(cut.level.into())
                ));
            }
            Err(error) => {
                output::warning(&format!("can't save the search in `{}`: {error}", self.path.display()));
            }
        }
    }

    fn earlier(&self) -> Option<Cut> {
        self.earlier
    }

    fn open(&self, worker: usize) -> io::Result<Box<dyn Read + '_>> {
        let level = self.earlier.map_or(0, |cut| cut.level);
        let file = File::open(part(&self.path, level, worker))?;
        Ok(Box::new(BufReader::new(body(file, &self.head)?)))
    }

    fn loaded(&self, result: Result<Progress, String>) {
        let mut state = self.state();
        match result {
            Ok(progress) if !state.is_told => {
                state.is_told = true;
                let (states, depth) = (count(progress.states, "state"), grouped(progress.depth));
                self.say(&format!("going on from `{}`: {states}, depth {depth}", self.path.display()));
            }
            Ok(_) => {}
            Err(reason) => state.refused = Some(reason),
        }
    }
}
