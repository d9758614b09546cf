//! The same work for many things, on all threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use narrows_model::{Limit, Progress};

use crate::Budget;
use crate::search::Counts;

/// So many things are done at once by a thread.
const BATCH: usize = 64;

/// Atomic sequences need a deep stack, as the program itself has.
const STACK: usize = 64 << 20;

/// What a thread needs for its work.
pub(super) trait Worker {
    /// Returns what it has counted.
    fn counts(&self) -> &Counts;
}

/// Does something with each of so many things, by their numbers; the results are in their order. What workers
/// count is added to the counts.
pub(super) fn in_batches<W: Worker, T: Send>(
    things: usize,
    (budget, progress): (&Budget, &Progress),
    counts: &mut Counts,
    worker: impl Fn() -> W + Sync,
    each: impl Fn(usize, &mut W) -> Result<T, Limit> + Sync,
) -> Result<Vec<T>, Limit> {
    let threads = budget.threads.min(things.div_ceil(BATCH)).max(1);
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let work = || {
        let mut worker = worker();
        let mut batches = Vec::new();
        let limit = loop {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= things {
                break None;
            }
            let batch = first..things.min(first + BATCH);
            let done: Result<Vec<T>, Limit> = batch.map(|number| each(number, &mut worker)).collect();
            match done {
                Ok(done) => batches.push((first, done)),
                Err(limit) => break Some(limit),
            }
            if let Some(limit) = budget.watch.check(progress) {
                break Some(limit);
            }
        };
        if limit.is_some() {
            next.store(things, Ordering::Relaxed);
        }
        let mut counts = Counts::default();
        counts.absorb(worker.counts());
        found.lock().unwrap_or_else(PoisonError::into_inner).push((batches, counts, limit));
    };
    if threads == 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // Where no thread can be made, the others do its work.
                let _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            }
            work();
        });
    }
    let mut batches = Vec::new();
    for (some, theirs, limit) in found.into_inner().unwrap_or_else(PoisonError::into_inner) {
        counts.absorb(&theirs);
        if let Some(limit) = limit {
            return Err(limit);
        }
        batches.extend(some);
    }
    batches.sort_unstable_by_key(|(first, _)| *first);
    Ok(batches.into_iter().flat_map(|(_, done)| done).collect())
}
