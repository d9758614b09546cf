//! What an answer may cost, who watches over it, and what comes out: the same for all engines.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Answer, Coverage, Limit, Problem, Reply, SearchProfile};

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Different states so far.
    pub states: u64,
    /// Edges so far.
    pub transitions: u64,
    /// The length of the longest run that was followed.
    pub depth: u64,
    /// Bytes in use.
    pub memory: u64,
}

impl Progress {
    /// Returns the progress of work that does not go state by state.
    pub fn of_memory(memory: u64) -> Progress {
        Progress { memory, ..Progress::default() }
    }
}

/// Looks at a search while it runs: shows its progress, and stops it.
pub trait Watch: Send + Sync {
    /// Returns why the search must stop now, if it must; called every few thousand edges.
    fn check(&self, progress: &Progress) -> Option<Limit>;

    /// Returns how many seconds have passed, if there is a clock.
    fn seconds(&self) -> f64 {
        0.0
    }

    /// Returns how many seconds are left, if there is a limit.
    fn seconds_left(&self) -> Option<f64> {
        None
    }
}

impl<F: Fn(&Progress) -> Option<Limit> + Send + Sync> Watch for F {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        self(progress)
    }
}

/// Lets a search run to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn check(&self, _: &Progress) -> Option<Limit> {
        None
    }
}

/// A part of the time that another watch has left, so that one question does not use up the time of all.
pub struct Share {
    whole: Arc<dyn Watch>,
    /// When the part ends, in the other's seconds, as bits; infinity if it does not.
    until: AtomicU64,
}

impl Share {
    /// Begins with all that is left.
    pub fn new(whole: &Arc<dyn Watch>) -> Share {
        Share::of(whole, None)
    }

    /// Takes so many seconds, if they are limited.
    pub fn of(whole: &Arc<dyn Watch>, seconds: Option<f64>) -> Share {
        let until = seconds.map_or(f64::INFINITY, |seconds| whole.seconds() + seconds);
        Share { whole: Arc::clone(whole), until: AtomicU64::new(until.to_bits()) }
    }

    /// Takes one of so many equal parts of what is left.
    pub fn take(&self, parts: usize) {
        let left = self.whole.seconds_left().filter(|_| parts > 1);
        self.take_seconds(left.map_or(f64::INFINITY, |left| left / parts as f64));
    }

    /// Takes so many seconds, also where time is not limited.
    pub fn take_seconds(&self, seconds: f64) {
        self.until.store((self.whole.seconds() + seconds).to_bits(), Ordering::Relaxed);
    }

    /// Returns how many seconds are left to all, if there is a limit.
    pub fn whole_seconds_left(&self) -> Option<f64> {
        self.whole.seconds_left()
    }

    fn until(&self) -> f64 {
        f64::from_bits(self.until.load(Ordering::Relaxed))
    }
}

impl Watch for Share {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        let is_over = || self.whole.seconds() >= self.until();
        self.whole.check(progress).or_else(|| is_over().then_some(Limit::Time))
    }

    fn seconds(&self) -> f64 {
        self.whole.seconds()
    }

    fn seconds_left(&self) -> Option<f64> {
        let left = self.whole.seconds_left()?;
        Some(left.min((self.until() - self.whole.seconds()).max(0.0)))
    }
}

/// What may be used, and who watches.
#[derive(Clone)]
pub struct Budget {
    /// At most this many bytes.
    pub memory: u64,
    /// At most this many threads; answers do not depend on it.
    pub threads: usize,
    /// Asked now and then whether to go on. It is told how far the work is, and knows the time.
    pub watch: Arc<dyn Watch>,
}

impl Budget {
    /// Allows everything, on one thread, until the watch says no.
    pub fn unlimited(watch: impl Watch + 'static) -> Budget {
        Budget { memory: u64::MAX, threads: 1, watch: Arc::new(watch) }
    }

    /// Returns what is left of it when so many bytes are in use.
    #[must_use]
    pub fn less(&self, bytes: u64) -> Budget {
        Budget { memory: self.memory.saturating_sub(bytes), ..self.clone() }
    }
}

/// What came out for a list of questions.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// What was found, in the order of the questions.
    pub replies: Vec<Reply>,
    /// What was covered.
    pub coverage: Coverage,
    /// Why not everything was found out.
    pub limit: Option<Limit>,
    /// Everything that goes wrong, each place once.
    pub problems: Vec<Problem>,
    /// Where the time went, if the engine measures that.
    pub profile: Option<SearchProfile>,
}

impl Checked {
    /// Returns the verdicts with what belongs to them; figures are left out.
    pub fn answers(&self) -> impl Iterator<Item = &Answer> {
        self.replies.iter().filter_map(|reply| match reply {
            Reply::Answer(answer) => Some(&**answer),
            Reply::Figure(_) => None,
        })
    }
}
