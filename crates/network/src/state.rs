//! What is known of the other processes, shared by all threads of a network.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use narrows_cluster::Trouble;

use crate::control::{FrameKind, write_frame};
use crate::secret::Digest;

/// What is known.
#[derive(Default)]
pub(crate) struct State {
    /// The control connection with each other process.
    pub(crate) links: Vec<Option<Arc<Mutex<TcpStream>>>>,
    /// Connections for searches that have come: from which process, for which search.
    pub(crate) searches: BTreeMap<(usize, u64), TcpStream>,
    /// Which processes have finished.
    pub(crate) finished: Vec<bool>,
    /// Who is lost first, and how.
    pub(crate) lost: Option<String>,
    /// Why somebody was turned away last, for whoever waits in vain.
    pub(crate) turned_away: Option<String>,
    pub(crate) job: Option<Vec<u8>>,
    /// What each process will do, or why it will not.
    pub(crate) ready: Vec<Option<Result<Digest, String>>>,
    pub(crate) go: Option<Result<(), String>>,
    /// Whether this process has finished: nobody is lost any more.
    is_closing: bool,
}

/// The state, and who waits for a change of it.
pub(crate) struct Board {
    state: Mutex<State>,
    bell: Condvar,
    /// Who is to hear that somebody is lost.
    trouble: Mutex<Option<Arc<Trouble>>>,
}

/// Why waiting came to nothing.
#[derive(Debug)]
pub(crate) enum Waited {
    Lost(String),
    Late,
}

/// How often somebody who waits looks up, in any case.
const LOOK_UP: Duration = Duration::from_millis(50);

impl Board {
    pub(crate) fn new(processes: usize) -> Board {
        let state = State {
            links: (0..processes).map(|_| None).collect(),
            finished: vec![false; processes],
            ready: vec![None; processes],
            ..State::default()
        };
        Board { state: Mutex::new(state), bell: Condvar::new(), trouble: Mutex::new(None) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes who waits.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.lock());
        self.bell.notify_all();
        changed
    }

    /// Waits until there is something to see.
    pub(crate) fn wait<T>(
        &self,
        until: Option<Instant>,
        mut look: impl FnMut(&mut State) -> Option<T>,
    ) -> Result<T, Waited> {
        let mut state = self.lock();
        loop {
            if let Some(seen) = look(&mut state) {
                return Ok(seen);
            }
            if let Some(lost) = &state.lost {
                return Err(Waited::Lost(lost.clone()));
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Err(Waited::Late);
            }
            state = match self.bell.wait_timeout(state, LOOK_UP) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    /// Lets somebody hear of it when a process is lost, from now on.
    pub(crate) fn attach(&self, trouble: &Arc<Trouble>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(trouble));
        if let Some(lost) = self.lock().lost.clone() {
            trouble.report(lost);
        }
    }

    /// Notes that a process is lost, and tells the others who it is.
    pub(crate) fn lose(&self, process: usize, what: &str) {
        let is_first = self.change(|state| {
            let is_first = !state.is_closing && !state.finished[process] && state.lost.is_none();
            if is_first {
                state.lost = Some(what.to_owned());
            }
            is_first
        });
        if is_first {
            self.report(what);
            self.tell_all(FrameKind::Lost, what.as_bytes());
        }
    }

    /// Hears from another process that one is lost.
    pub(crate) fn hear_of_loss(&self, what: &str) {
        let is_news = self.change(|state| {
            let is_news = !state.is_closing && state.lost.is_none();
            if is_news {
                state.lost = Some(what.to_owned());
            }
            is_news
        });
        if is_news {
            self.report(what);
        }
    }

    fn report(&self, what: &str) {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(trouble) = trouble {
            trouble.report(what.to_owned());
        }
    }

    /// Says something to one process; whoever can't be reached is noticed by whoever listens to it.
    pub(crate) fn tell(&self, process: usize, kind: FrameKind, bytes: &[u8]) {
        let link = self.lock().links.get(process).cloned().flatten();
        if let Some(link) = link {
            let mut socket = link.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = write_frame(&mut *socket, kind, bytes);
        }
    }

    /// Says something to all.
    pub(crate) fn tell_all(&self, kind: FrameKind, bytes: &[u8]) {
        let count = self.lock().links.len();
        (0..count).for_each(|process| self.tell(process, kind, bytes));
    }

    /// Says that this process has finished.
    pub(crate) fn close(&self) {
        self.change(|state| state.is_closing = true);
        self.tell_all(FrameKind::Farewell, b"");
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.lock().is_closing
    }
}
