//! The last resort: ends the program where a limit is passed and nothing has come of it.
//!
//! Searches keep limits themselves and then say what they found. Reading, drawing and commands about graphs
//! know no limits: the main thread looks at the clock and at the memory in use, whatever goes on, and ends
//! the program with *undecided*. Nothing is half answered, as answers are printed when they are complete.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use narrows_model::Limit;

use crate::limits::default_memory;

/// How often the thread looks: memory can't grow much in between.
const EVERY: Duration = Duration::from_millis(10);

/// After something was printed or saved, there may be more to print, and memory to give back.
const AFTERMATH: Duration = Duration::from_secs(2);

/// The program itself takes so much memory.
const PROGRAM: u64 = 48 << 20;

/// A run of half a million steps takes so much.
const LONG_RUN: u64 = 128 << 20;

/// What the program does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Reads models and studies, and simulates.
    Reading,
    /// Searches, which keep limits themselves, and then have more to say.
    Searching,
    /// Reads, changes, compares and draws graphs. Making the graph of a model keeps limits itself.
    Graphs,
}

impl Work {
    /// Returns how much longer it may take than it should, given how long it has taken.
    fn grace(self, taken: Duration) -> Duration {
        match self {
            Work::Searching => Duration::from_secs(2).max(taken / 10),
            Work::Reading => Duration::from_millis(300),
            // Making the graph of a model ends by itself, and then gives back what it took.
            Work::Graphs => Duration::from_millis(600),
        }
    }

    /// Returns how much more memory than it should it may take: the program itself takes some, and so does a
    /// long run that a search has found, which is replayed and told as a whole.
    fn slack(self, memory: u64) -> u64 {
        match self {
            Work::Graphs => 0,
            Work::Reading => memory / 7 + PROGRAM,
            Work::Searching => memory / 7 + PROGRAM + LONG_RUN,
        }
    }
}

/// What is watched.
struct Watched {
    work: Work,
    started: Instant,
    time: Option<Duration>,
    memory: u64,
    interrupted: Option<Arc<AtomicBool>>,
    /// When the user's wish for an end was first seen.
    wished: Option<Instant>,
    /// Whether something is written that must not be cut short.
    is_writing: bool,
    /// When that last ended.
    written: Option<Instant>,
}

static WATCHED: Mutex<Option<Watched>> = Mutex::new(None);

fn watched() -> MutexGuard<'static, Option<Watched>> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Wakes the thread that watches when the work is over, however it ends.
struct Bell {
    watcher: Thread,
    is_over: Arc<AtomicBool>,
}

impl Drop for Bell {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        self.watcher.unpark();
    }
}

/// Works on a stack of this size, and watches, with no limit but the machine's memory. If one is passed,
/// `say` hears of it, and the program ends.
///
/// The thread that waits is the one that watches, and it allocates nothing: for another one, the allocator
/// would keep address space, which may be scarce.
pub(crate) fn watch<T: Send + 'static>(
    stack: usize,
    work: impl FnOnce() -> T + Send + 'static,
    say: impl FnOnce(Limit),
) -> io::Result<thread::Result<T>> {
    *watched() = Some(Watched {
        work: Work::Reading,
        started: Instant::now(),
        time: None,
        memory: default_memory(),
        interrupted: None,
        wished: None,
        is_writing: false,
        written: None,
    });
    let is_over = Arc::new(AtomicBool::new(false));
    let bell = Bell { watcher: thread::current(), is_over: Arc::clone(&is_over) };
    let worker = thread::Builder::new().stack_size(stack).spawn(move || {
        let _bell = bell;
        work()
    })?;
    let mut pages = File::open("/proc/self/statm").ok();
    while !is_over.load(Ordering::Acquire) {
        thread::park_timeout(EVERY);
        let resident = pages.as_mut().and_then(resident);
        let limit = watched().as_mut().and_then(|watched| watched.exceeded(resident));
        if let Some(limit) = limit {
            say(limit);
            std::process::exit(2)
        }
    }
    Ok(worker.join())
}

/// Sets limits that count from now on.
pub(crate) fn limit(work: Work, time: Option<Duration>, memory: Option<u64>) {
    if let Some(watched) = watched().as_mut() {
        (watched.work, watched.started, watched.time) = (work, Instant::now(), time);
        watched.memory = memory.unwrap_or_else(default_memory);
    }
}

/// Lets what was found be told, however long the runs are: answers that are there are not given up for the
/// memory that their report takes, as long as the machine has it.
pub(crate) fn tell() {
    if let Some(watched) = watched().as_mut() {
        watched.memory = watched.memory.max(default_memory());
    }
}

/// Hears from now on whether the user wants an end.
pub(crate) fn heed(interrupted: &Arc<AtomicBool>) {
    if let Some(watched) = watched().as_mut() {
        watched.interrupted = Some(Arc::clone(interrupted));
    }
}

/// Writes something that must not be cut short, however slow the reader or the disk.
pub(crate) fn uninterrupted<T>(write: impl FnOnce() -> T) -> T {
    let is_writing = |now: bool| {
        if let Some(watched) = watched().as_mut() {
            (watched.is_writing, watched.written) = (now, Some(Instant::now()));
        }
    };
    is_writing(true);
    let written = write();
    is_writing(false);
    written
}

impl Watched {
    fn exceeded(&mut self, resident: Option<u64>) -> Option<Limit> {
        let most = self.memory.saturating_add(self.work.slack(self.memory));
        if resident.is_some_and(|bytes| bytes > most) {
            return Some(Limit::Memory);
        }
        if self.interrupted.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            self.wished.get_or_insert_with(Instant::now);
        }
        if self.is_writing || self.written.is_some_and(|written| written.elapsed() < AFTERMATH) {
            return None;
        }
        if self.wished.is_some_and(|wished| wished.elapsed() >= self.work.grace(wished - self.started)) {
            return Some(Limit::Interrupted);
        }
        let late = self.started.elapsed().checked_sub(self.time?)?;
        (late >= self.work.grace(self.time?)).then_some(Limit::Time)
    }
}

/// Returns how many bytes the program has in memory; `None` where the system does not say.
fn resident(pages: &mut File) -> Option<u64> {
    let mut text = [0; 128];
    pages.seek(SeekFrom::Start(0)).ok()?;
    let length = pages.read(&mut text).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    Some(text.split_whitespace().nth(1)?.parse::<u64>().ok()? * 4096)
}
