//! Threads with deep stacks: texts, formulas and expressions are walked by recursion.

use std::sync::Arc;

use tokio::sync::{Semaphore, oneshot};

use crate::Refused;

/// So many texts are looked at at the same time.
const MAX_WORKERS: usize = 4;

/// Where short work is done.
#[derive(Clone)]
pub(crate) struct Workers {
    free: Arc<Semaphore>,
    stack: usize,
}

impl Workers {
    pub(crate) fn new(stack: usize) -> Workers {
        Workers { free: Arc::new(Semaphore::new(MAX_WORKERS)), stack }
    }

    /// Does something on a thread of its own, when one is free. What panics there is an internal error, and
    /// does no harm to others.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refused> {
        let free = Arc::clone(&self.free).acquire_owned().await.map_err(|_| Refused::Internal)?;
        let (sender, receiver) = oneshot::channel();
        let work = move || {
            let _free = free;
            // Nobody may wait any more.
            let _ = sender.send(work());
        };
        start("text", self.stack, work)?;
        receiver.await.map_err(|_| Refused::Internal)
    }
}

/// Starts a thread.
pub(crate) fn start(name: &str, stack: usize, work: impl FnOnce() + Send + 'static) -> Result<(), Refused> {
    let thread = std::thread::Builder::new().name(name.to_owned()).stack_size(stack);
    thread.spawn(work).map(drop).map_err(|_| Refused::Busy("no thread can be started: try again later"))
}
