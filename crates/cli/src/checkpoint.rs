//! `--checkpoint`: a search in a file, from which it goes on.
//!
//! A new checkpoint is written beside the old one, in full, and then takes its place; so whatever happens to
//! the program or the machine, there is a whole one or none. A file is a few lines of text (what it is, which
//! program wrote it, a number for the model and what is asked about it), the bytes of the search, how many
//! these are, and a checksum.

use std::fmt::{self, Debug, Write as _};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::Args;
use narrows::{CheckpointError, Checkpoints, Progress};
use narrows_model::Limit;
use narrows_report::{bytes, count, grouped, seconds};

use crate::limits::parse_time;
use crate::{cluster, output, watchdog};

/// Whether a search is saved.
#[derive(Args)]
pub(crate) struct Checkpointing {
    /// Save the search in this file when it stops, and from time to time; go on from there if the file
    /// exists. On several machines, save it in this folder from time to time
    #[arg(long = "checkpoint", value_name = "FILE", conflicts_with_all = ["bitstate", "hash_compact"])]
    file: Option<PathBuf>,

    /// Save the search this often
    #[arg(long = "checkpoint-every", value_name = "TIME", requires = "file", default_value = "5m")]
    #[arg(value_parser = parse_time)]
    every: Duration,
}

impl Checkpointing {
    /// Returns where the search is saved, if it is to be. `subject` is what it is about: the model, what is
    /// asked.
    pub(crate) fn open(&self, subject: &dyn Debug, quiet: bool) -> anyhow::Result<Option<Checkpoint>> {
        self.file
            .as_ref()
            .filter(|_| !cluster::is_member())
            .map(|path| Checkpoint::open(path, self.every, fingerprint(subject), quiet))
            .transpose()
    }

    /// Returns where a search on several machines is saved, and how often, if it is to be.
    pub(crate) fn folder(&self) -> Option<(&Path, Duration)> {
        self.file.as_deref().map(|path| (path, self.every))
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.file.is_some()
    }
}

/// The first line of a file.
const MAGIC: &str = "narrows checkpoint 2\n";

/// The bytes after those of the search: how many these are, and the checksum.
const FOOTER: u64 = 16;

/// Saving takes at most about this part of the time.
pub(crate) const PART: u32 = 10;

/// A file in which a search is saved.
pub(crate) struct Checkpoint {
    path: PathBuf,
    /// What all files about the same subject begin with.
    head: String,
    every: Duration,
    quiet: bool,
    /// What was there at the start.
    earlier: Option<File>,
    state: Mutex<State>,
}

struct State {
    /// When it is next saved.
    due: Instant,
    /// Why there is no going on from the file.
    refused: Option<String>,
    is_there: bool,
}

impl Checkpoint {
    fn open(path: &Path, every: Duration, fingerprint: u64, quiet: bool) -> anyhow::Result<Checkpoint> {
        let head = head(fingerprint);
        let earlier = match File::open(path) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error).with_context(|| format!("can't read `{}`", path.display())),
        };
        if let Some(file) = &earlier {
            verify(file, &head).with_context(|| {
                let name = path.display();
                format!("can't go on from `{name}`; delete it, or give another name with --checkpoint")
            })?;
        }
        // Better now than after some minutes.
        let trial = beside(path);
        File::create(&trial)
            .and_then(|_| std::fs::remove_file(&trial))
            .with_context(|| format!("can't write `{}`", trial.display()))?;
        let state = State { due: Instant::now() + every, refused: None, is_there: earlier.is_some() };
        Ok(Checkpoint { path: path.to_owned(), head, every, quiet, earlier, state: Mutex::new(state) })
    }

    /// Ends a search: if nothing is left of it, removes the file, and otherwise says that it is there.
    pub(crate) fn finish(&self, limits: &[Limit]) -> anyhow::Result<()> {
        let Ok(state) = self.state.lock() else { return Ok(()) };
        let name = self.path.display();
        if let Some(reason) = &state.refused {
            bail!("can't go on from `{name}`: {reason}; delete it, or give another name with --checkpoint");
        }
        if !state.is_there {
            return Ok(());
        }
        if limits.iter().any(|limit| matches!(limit, Limit::Time | Limit::Memory | Limit::Interrupted)) {
            self.say(&format!("the search is saved in `{name}`; the same command goes on from there"));
            return Ok(());
        }
        std::fs::remove_file(&self.path).with_context(|| format!("can't remove `{name}`"))
    }

    fn say(&self, text: &str) {
        if !self.quiet {
            output::note(text);
        }
    }

    /// Writes a file beside the old one, which it then replaces.
    fn replace(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
        let beside = beside(&self.path);
        let result = write_whole(&beside, &self.head, write).and_then(|length| {
            std::fs::rename(&beside, &self.path)?;
            let folder = self.path.parent().filter(|folder| *folder != Path::new(""));
            File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
            Ok(length)
        });
        if result.is_err() {
            // What is left of it helps nobody; the old one is still there.
            let _ = std::fs::remove_file(&beside);
        }
        result
    }
}

/// Returns what files about a subject begin with.
pub(crate) fn head(fingerprint: u64) -> String {
    format!("{MAGIC}{}\n{fingerprint:016x}\n", env!("CARGO_PKG_VERSION"))
}

/// Writes a file with a checksum; returns its length.
pub(crate) fn write_whole(
    path: &Path,
    head: &str,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    let mut output = BufWriter::with_capacity(BUFFER, Summed::new(File::create(path)?));
    output.write_all(head.as_bytes())?;
    write(&mut output)?;
    output.flush()?;
    let length = output.get_ref().length - head.len() as u64;
    output.write_all(&length.to_le_bytes())?;
    output.flush()?;
    let sum = output.get_ref().sum.value();
    output.write_all(&sum.to_le_bytes())?;
    let file = output.into_inner().map_err(io::IntoInnerError::into_error)?.inner;
    file.sync_all()?;
    Ok(length + head.len() as u64 + FOOTER)
}

/// Returns what is in a file behind its head.
pub(crate) fn body(mut file: File, head: &str) -> io::Result<io::Take<File>> {
    let head = head.len() as u64;
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(head))?;
    Ok(file.take(end.saturating_sub(head + FOOTER)))
}

/// Returns the name under which a file is written until it is whole.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    PathBuf::from(name)
}

impl Checkpoints for Checkpoint {
    fn is_due(&self) -> bool {
        self.state.lock().is_ok_and(|state| Instant::now() >= state.due)
    }

    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let start = Instant::now();
        let result = watchdog::uninterrupted(|| self.replace(write));
        let took = start.elapsed();
        let Ok(mut state) = self.state.lock() else { return };
        state.due = Instant::now() + self.every.max(took * PART);
        match result {
            Ok(length) => {
                state.is_there = true;
                let (length, took) = (bytes(length), seconds(took.as_secs_f64()));
                self.say(&format!("saved the search in `{}`: {length}, {took}", self.path.display()));
            }
            // The search is worth more than what is saved of it.
            Err(error) => {
                output::warning(&format!("can't save the search in `{}`: {error}", self.path.display()));
            }
        }
    }

    fn load(&self) -> Option<Box<dyn Read + '_>> {
        let mut file = self.earlier.as_ref()?;
        let head = self.head.len() as u64;
        let end = file.seek(SeekFrom::End(0)).ok()?;
        file.seek(SeekFrom::Start(head)).ok()?;
        Some(Box::new(BufReader::with_capacity(BUFFER, file.take(end.checked_sub(head + FOOTER)?))))
    }

    fn loaded(&self, result: Result<Progress, CheckpointError>) {
        match result {
            Ok(progress) => {
                let (states, depth) = (count(progress.states, "state"), grouped(progress.depth));
                self.say(&format!("going on from `{}`: {states}, depth {depth}", self.path.display()));
            }
            Err(reason) => {
                if let Ok(mut state) = self.state.lock() {
                    state.refused = Some(reason.to_string());
                }
            }
        }
    }
}

const BUFFER: usize = 1 << 16;

/// Makes sure that a file is a whole checkpoint, of this program, about the same subject.
pub(crate) fn verify(file: &File, head: &str) -> anyhow::Result<()> {
    let mut start = Vec::new();
    file.take(head.len() as u64).read_to_end(&mut start)?;
    ensure!(start.starts_with(MAGIC.as_bytes()), "it is not a checkpoint of this program");
    let line = |text: &str| text.lines().nth(1).unwrap_or("").to_owned();
    let (theirs, ours) = (line(&String::from_utf8_lossy(&start)), line(head));
    ensure!(theirs == ours, "it was written by narrows {theirs}, and this is narrows {ours}");
    ensure!(is_whole(file, head.len() as u64)?, "it is damaged: a part is missing, or was changed");
    ensure!(start == head.as_bytes(), "it is about another model, or other questions or options");
    Ok(())
}

/// Returns whether a file has the length and the checksum that it says it has.
fn is_whole(mut file: &File, head: u64) -> io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    let Some(size) = length.checked_sub(head + FOOTER) else { return Ok(false) };
    file.seek(SeekFrom::Start(0))?;
    let mut input = BufReader::with_capacity(BUFFER, file);
    let mut summed = Summed::new(io::sink());
    io::copy(&mut input.by_ref().take(length - FOOTER), &mut summed)?;
    let (mut said, mut sum) = ([0; 8], [0; 8]);
    input.read_exact(&mut said)?;
    input.read_exact(&mut sum)?;
    summed.write_all(&said)?;
    Ok(said == size.to_le_bytes() && sum == summed.sum.value().to_le_bytes())
}

/// A checksum of bytes: any change within eight neighbours changes it.
struct Checksum {
    value: u64,
    /// Bytes that do not make a word yet.
    rest: [u8; 8],
    pending: usize,
}

impl Checksum {
    fn new() -> Checksum {
        Checksum { value: 0x9e37_79b9_7f4a_7c15, rest: [0; 8], pending: 0 }
    }

    fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.pending == 0
                && let Some((word, more)) = bytes.split_first_chunk()
            {
                self.value = mix(self.value, u64::from_le_bytes(*word));
                bytes = more;
                continue;
            }
            let count = bytes.len().min(8 - self.pending);
            self.rest[self.pending..self.pending + count].copy_from_slice(&bytes[..count]);
            self.pending += count;
            bytes = &bytes[count..];
            if self.pending == 8 {
                self.value = mix(self.value, u64::from_le_bytes(self.rest));
                self.pending = 0;
            }
        }
    }

    fn value(&self) -> u64 {
        let mut last = [0; 8];
        last[..self.pending].copy_from_slice(&self.rest[..self.pending]);
        mix(mix(self.value, u64::from_le_bytes(last)), self.pending as u64)
    }
}

/// Each step can be undone, so that two sums that differ once differ for ever, if the same follows.
fn mix(value: u64, word: u64) -> u64 {
    (value ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(29)
}

/// Adds up what is written.
struct Summed<W> {
    inner: W,
    sum: Checksum,
    length: u64,
}

impl<W> Summed<W> {
    fn new(inner: W) -> Summed<W> {
        Summed { inner, sum: Checksum::new(), length: 0 }
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.add(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Returns a number that tells subjects apart.
pub(crate) fn fingerprint(subject: &dyn Debug) -> u64 {
    struct Text(Checksum);
    impl fmt::Write for Text {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.add(text.as_bytes());
            Ok(())
        }
    }
    let mut text = Text(Checksum::new());
    // It never fails.
    let _ = write!(text, "{subject:?}");
    text.0.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_does_not_depend_on_pieces_but_on_every_bit() {
        let bytes: Vec<u8> = (0..100).collect();
        let sum = |bytes: &[u8], piece: usize| {
            let mut sum = Checksum::new();
            bytes.chunks(piece).for_each(|piece| sum.add(piece));
            sum.value()
        };
        let whole = sum(&bytes, 100);
        for piece in 1..20 {
            assert_eq!(sum(&bytes, piece), whole);
        }
        for bit in 0..800 {
            let mut other = bytes.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(sum(&other, 100), whole);
        }
        assert_ne!(sum(&bytes[..99], 100), whole);
        assert_ne!(sum(&[0; 3], 3), sum(&[0; 4], 4));
        assert_ne!(fingerprint(&"a"), fingerprint(&"b"));
    }
}
