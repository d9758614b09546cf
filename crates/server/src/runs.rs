//! Checks and measurements: lines of JSON with progress while they run, and the answer as the last one.
//!
//! A run is cancelled when the one who asked for it is gone, or asks for another one in its place: then what
//! carries its answer is dropped, or its flag is set, and the watch of the run says so to the engine.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use narrows::{Budget, Limit, Progress, Watch};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Duration, timeout};

use crate::listen::Shared;
use crate::tasks::{Task, perform};
use crate::texts::Texts;
use crate::{Refused, workers};

/// So many runs are under way at the same time; each may use all memory that the server may.
const MAX_RUNS: usize = 2;
/// So many more may wait.
const MAX_WAITING: usize = 16;
/// A run tells how far it is after so many seconds.
const TELL_AFTER: f64 = 0.15;
/// A run may take so many seconds if nobody says, and at most so many.
const SECONDS: f64 = 60.0;
const MAX_SECONDS: f64 = 24.0 * 3600.0;

/// All runs that are under way.
pub(crate) struct Runs {
    /// What cancels each, by the place it takes.
    known: Mutex<HashMap<String, Arc<AtomicBool>>>,
    free: Arc<Semaphore>,
}

impl Default for Runs {
    fn default() -> Runs {
        Runs { known: Mutex::default(), free: Arc::new(Semaphore::new(MAX_RUNS)) }
    }
}

impl Runs {
    /// Notes a run; the one in the same place is cancelled.
    fn begin(&self, place: &str) -> Result<Arc<AtomicBool>, Refused> {
        let flag = Arc::new(AtomicBool::new(false));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_RUNS + MAX_WAITING && !known.contains_key(place) {
            return Err(Refused::Busy("too many runs are under way: cancel some"));
        }
        if let Some(old) = known.insert(place.to_owned(), Arc::clone(&flag)) {
            old.store(true, Ordering::Relaxed);
        }
        Ok(flag)
    }

    /// Forgets a run that has ended.
    fn end(&self, place: &str, flag: &Arc<AtomicBool>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.get(place).is_some_and(|now| Arc::ptr_eq(now, flag)) {
            known.remove(place);
        }
    }

    pub(crate) fn cancel_all(&self) {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // All of them, in any order.
        #[allow(clippy::iter_over_hash_type)]
        for flag in known.values() {
            flag.store(true, Ordering::Relaxed);
        }
    }
}

#[derive(Deserialize)]
pub(crate) struct Asked {
    #[serde(flatten)]
    pub(crate) texts: Texts,
    pub(crate) task: Task,
    /// Delays and constants with other values, each as `NAME=VALUE`.
    #[serde(default)]
    pub(crate) changes: Vec<String>,
    seconds: Option<f64>,
    /// What the run is for: another one for the same cancels it.
    place: String,
}

/// Starts a run, and answers with what it tells.
pub(crate) async fn run(
    State(shared): State<Arc<Shared>>,
    Json(asked): Json<Asked>,
) -> Result<Response, Refused> {
    let seconds = asked.seconds.filter(|seconds| *seconds > 0.0).unwrap_or(SECONDS).min(MAX_SECONDS);
    let flag = shared.runs.begin(&asked.place)?;
    let (sender, receiver) = channel(8);
    let order = Order { seconds, flag: Arc::clone(&flag), sender };
    // Dropped with the answer when the client is gone.
    let body = Lines { receiver, flag };
    tokio::spawn(order.follow(shared, asked));
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson")];
    Ok((headers, Body::new(body)).into_response())
}

/// What a run needs to begin.
struct Order {
    seconds: f64,
    flag: Arc<AtomicBool>,
    sender: Sender<Bytes>,
}

impl Order {
    /// Waits for its turn, and starts the run.
    async fn follow(self, shared: Arc<Shared>, asked: Asked) {
        let place = asked.place.clone();
        let free = loop {
            // A run that nobody wants any more gives way to others.
            if self.is_unwanted() {
                shared.runs.end(&place, &self.flag);
                let _ = self.sender.try_send(line(&json!({ "cancelled": true })));
                return;
            }
            let free = Arc::clone(&shared.runs.free).acquire_owned();
            if let Ok(Ok(free)) = timeout(Duration::from_millis(20), free).await {
                break free;
            }
        };
        let flag = Arc::clone(&self.flag);
        let sender = self.sender.clone();
        let runs = Arc::clone(&shared);
        let stack = shared.environment.stack;
        let ended = Ended { shared: runs, place, flag, sender, _free: free };
        // If no thread can be started, what was moved into it is dropped, which ends the answer.
        let _ = workers::start("run", stack, move || ended.run(&self, &shared, asked));
    }

    fn is_unwanted(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.sender.is_closed()
    }
}

/// Forgets a run when it ends, also by a panic.
struct Ended {
    shared: Arc<Shared>,
    place: String,
    flag: Arc<AtomicBool>,
    sender: Sender<Bytes>,
    _free: OwnedSemaphorePermit,
}

impl Ended {
    fn run(self, order: &Order, shared: &Shared, asked: Asked) {
        let mut budget: Budget = (shared.environment.budget)(order.seconds);
        budget.watch = Arc::new(Watched {
            inner: Arc::clone(&budget.watch),
            flag: Arc::clone(&order.flag),
            told: Mutex::new(0.0),
            sender: order.sender.clone(),
        });
        // Who does not keep up is told less.
        let sender = order.sender.clone();
        let tell = move |lacks: &'static str, partial: Value| {
            drop(sender.try_send(line(&json!({ "partial": partial, "lacks": lacks }))));
        };
        let result = perform(asked, &shared.environment, &budget, &tell);
        let last = match result {
            _ if order.flag.load(Ordering::Relaxed) => json!({ "cancelled": true }),
            Ok(result) => json!({ "result": result, "seconds": budget.watch.seconds() }),
            Err(error) => json!({ "error": error.to_string() }),
        };
        // If the client is gone, nobody reads it.
        let _ = self.sender.blocking_send(line(&last));
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.sender.try_send(line(&json!({ "error": Refused::Internal.to_string() })));
        }
        self.shared.runs.end(&self.place, &self.flag);
    }
}

fn line(value: &Value) -> Bytes {
    Bytes::from(format!("{value}\n"))
}

/// The body of an answer: what a run tells, line by line. When it is dropped, nobody waits any more.
struct Lines {
    receiver: Receiver<Bytes>,
    flag: Arc<AtomicBool>,
}

impl hyper::body::Body for Lines {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.receiver.poll_recv(context).map(|line| line.map(|line| Ok(Frame::data(line))))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.flag.store(true, Ordering::Relaxed);
    }
}

/// A watch that can be told to stop, and tells how far the work is.
struct Watched {
    inner: Arc<dyn Watch>,
    flag: Arc<AtomicBool>,
    /// When it told something last.
    told: Mutex<f64>,
    sender: Sender<Bytes>,
}

impl Watch for Watched {
    fn check(&self, progress: &Progress) -> Option<Limit> {
        if self.flag.load(Ordering::Relaxed) {
            return Some(Limit::Interrupted);
        }
        let seconds = self.inner.seconds();
        if let Ok(mut told) = self.told.try_lock()
            && seconds - *told >= TELL_AFTER
        {
            *told = seconds;
            let Progress { states, transitions, depth, memory } = progress;
            // Who does not keep up is told less.
            let _ = self.sender.try_send(line(&json!({ "progress": {
                "states": states, "transitions": transitions, "depth": depth, "memory": memory,
                "seconds": seconds, "seconds_left": self.inner.seconds_left(),
            } })));
        }
        self.inner.check(progress)
    }

    fn seconds(&self) -> f64 {
        self.inner.seconds()
    }

    fn seconds_left(&self) -> Option<f64> {
        self.inner.seconds_left()
    }
}
