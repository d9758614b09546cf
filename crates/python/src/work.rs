//! Work on a thread of its own, with limits, while Python waits.
//!
//! The thread has a deep stack, since terms and formulas are walked by recursion. Python waits without its
//! lock and looks for signals in between: the first one asks the work to stop, which then returns what it has
//! found; after a second one nobody waits any longer. Work that is much later than its time is left alone
//! too: it ends by itself when it next looks at the clock.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use narrows::{Budget, Limit, Progress, Watch};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::failure::{Failure, raise};

/// Pages that are not used cost nothing but address space.
pub(crate) const STACK: usize = 512 << 20;

/// How often signals are looked for.
const EVERY: Duration = Duration::from_millis(20);

/// How often Python is told how far the work is.
const TELL: Duration = Duration::from_millis(100);

/// Work that does not look at the clock may be so much later than its time, and a tenth of it.
const GRACE: Duration = Duration::from_secs(2);

/// What may be used: seconds, bytes and threads.
#[derive(Clone, Copy, Debug, FromPyObject)]
pub(crate) struct Limits(Option<f64>, u64, usize);

/// What came of some work.
pub(crate) struct Done<T> {
    pub(crate) value: T,
    /// How long it took.
    pub(crate) seconds: f64,
    /// Whether Ctrl-C ended it.
    pub(crate) is_interrupted: bool,
}

/// Watches the work: the clock, the user, and how far it is.
struct Clock {
    start: Instant,
    time: Option<Duration>,
    cancelled: AtomicBool,
    progress: Mutex<Progress>,
}

impl Clock {
    fn new(time: Option<Duration>) -> Arc<Clock> {
        let (start, cancelled) = (Instant::now(), AtomicBool::new(false));
        Arc::new(Clock { start, time, cancelled, progress: Mutex::default() })
    }

    /// Returns whether the work should long have ended.
    fn is_overdue(&self) -> bool {
        self.time.is_some_and(|time| self.start.elapsed() > time + GRACE + time / 10)
    }
}

impl Watch for Clock {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        if let Ok(mut told) = self.progress.try_lock() {
            *told = *progress;
        }
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Limit::Interrupted);
        }
        self.time.is_some_and(|time| self.start.elapsed() >= time).then_some(Limit::Time)
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn seconds_left(&self) -> Option<f64> {
        Some(self.time?.saturating_sub(self.start.elapsed()).as_secs_f64())
    }
}

/// Says that this program is wrong.
fn broken(what: &str) -> Failure {
    Failure::Internal(format!("internal error: {what}\nThis is a bug in narrows, not in the model."))
}

/// Does some work within limits, and tells a function of Python, if there is one, how far it is.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    Limits(time, memory, threads): Limits,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Budget) -> Result<T, Failure> + Send + 'static,
) -> PyResult<Done<T>> {
    let time = time.map(Duration::try_from_secs_f64).transpose();
    let time = time.map_err(|error| raise(py, Failure::Argument(format!("`time`: {error}"))))?;
    let clock = Clock::new(time);
    let budget = Budget { memory, threads: threads.max(1), watch: Arc::clone(&clock) as Arc<dyn Watch> };
    let (sender, receiver) = bounded(1);
    start(move || {
        // Python may not wait any longer.
        let _ = sender.send(work(&budget));
    })
    .map_err(|failure| raise(py, failure))?;
    let mut waiting = Waiting { clock, stopped: None, told: Instant::now() };
    let value = waiting.wait(py, &receiver, progress)?;
    let value = value.map_err(|failure| raise(py, failure))?;
    let seconds = waiting.clock.seconds();
    match waiting.stopped {
        Some(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => Err(error),
        stopped => Ok(Done { value, seconds, is_interrupted: stopped.is_some() }),
    }
}

/// Does something short that needs a deep stack.
pub(crate) fn deep<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            thread.map(std::thread::ScopedJoinHandle::join)
        })
    });
    match done {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(_)) => Err(raise(py, broken("a report could not be written"))),
        Err(error) => Err(raise(py, Failure::Limit(format!("no thread could be started: {error}")))),
    }
}

/// Starts a thread with a deep stack. What is dropped when it panics tells those who wait.
pub(crate) fn start(work: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let work = move || drop(std::panic::catch_unwind(AssertUnwindSafe(work)));
    let started = std::thread::Builder::new().name("narrows".to_owned()).stack_size(STACK).spawn(work);
    started.map(drop).map_err(|error| Failure::Limit(format!("no thread could be started: {error}")))
}

/// Waits for what another thread sends; a signal sets a flag that the other one looks at.
pub(crate) fn receive<T: Send>(
    py: Python<'_>,
    from: &Receiver<T>,
    stop: &AtomicBool,
) -> PyResult<(T, Option<PyErr>)> {
    let mut stopped: Option<PyErr> = None;
    loop {
        match py.detach(|| from.recv_timeout(EVERY)) {
            Ok(value) => return Ok((value, stopped)),
            Err(RecvTimeoutError::Disconnected) => return Err(raise(py, broken("the simulation ended"))),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = py.check_signals() {
            stop.store(true, Ordering::Relaxed);
            if stopped.is_some() {
                return Err(error);
            }
            stopped = Some(error);
        }
    }
}

/// Someone in Python who waits for work.
struct Waiting {
    clock: Arc<Clock>,
    /// Why the work was asked to stop.
    stopped: Option<PyErr>,
    /// When Python was last told how far it is.
    told: Instant,
}

impl Waiting {
    /// Waits until something is there; the error is that of a second signal.
    fn wait<T: Send>(
        &mut self,
        py: Python<'_>,
        receiver: &Receiver<Result<T, Failure>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Result<T, Failure>> {
        loop {
            match py.detach(|| receiver.recv_timeout(EVERY)) {
                Ok(value) => return Ok(value),
                Err(RecvTimeoutError::Disconnected) => return Ok(Err(broken("the work ended early"))),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let looked = py.check_signals().and_then(|()| self.tell(progress));
            if let Err(error) = looked {
                self.clock.cancelled.store(true, Ordering::Relaxed);
                if self.stopped.is_some() {
                    return Err(error);
                }
                self.stopped = Some(error);
            }
            if self.clock.is_overdue() {
                self.clock.cancelled.store(true, Ordering::Relaxed);
                return Ok(Err(Failure::Limit(Limit::Time.reason().to_owned())));
            }
        }
    }

    fn tell(&mut self, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let Some(function) = progress.filter(|_| self.told.elapsed() >= TELL && self.stopped.is_none())
        else {
            return Ok(());
        };
        self.told = Instant::now();
        let now = *self.clock.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let Progress { states, transitions, depth, memory } = now;
        function.call1((states, transitions, depth, memory, self.clock.seconds())).map(drop)
    }
}
