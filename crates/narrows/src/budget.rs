//! What an answer may cost.

use std::sync::Arc;

use narrows_explicit::{Progress, Watch};

/// What may be used, and who watches.
#[derive(Clone)]
pub struct Budget {
    /// At most this many bytes.
    pub memory: u64,
    /// At most this many threads; answers do not depend on it.
    pub threads: usize,
    /// Asked now and then whether to go on. It is told how far the work is, and knows the time.
    pub watch: Arc<dyn Watch + Send + Sync>,
}

impl Budget {
    /// Returns it in the form of the engine that goes state by state.
    pub fn explicit(&self) -> narrows_explicit::Budget<'_> {
        narrows_explicit::Budget {
            memory: self.memory,
            threads: self.threads,
            ..narrows_explicit::Budget::unlimited(&*self.watch)
        }
    }

    /// Returns it in the form of the engine that goes set by set.
    pub fn symbolic(&self) -> narrows_symbolic::Budget {
        let watch = Arc::clone(&self.watch);
        let watch = move |memory: u64| watch.check(&Progress { memory, ..Progress::default() });
        narrows_symbolic::Budget { memory: self.memory, depth: false, watch: Box::new(watch) }
    }
}
