//! How much memory a search uses, counted before it is taken.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Full;

/// Bytes in use, and how many may be.
#[derive(Debug)]
pub(crate) struct Memory {
    used: AtomicU64,
    peak: AtomicU64,
    limit: u64,
}

impl Memory {
    pub(crate) fn new(limit: u64) -> Memory {
        Memory { used: AtomicU64::new(0), peak: AtomicU64::new(0), limit }
    }

    /// Returns how many bytes are in use.
    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns the most bytes that were in use at once.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// Changes how many bytes may be in use.
    pub(crate) fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// Counts memory that is about to be taken.
    pub(crate) fn claim(&self, bytes: usize) -> Result<(), Full> {
        let more = |used: u64| used.checked_add(bytes as u64).filter(|used| *used <= self.limit);
        let claimed = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        let before = claimed.map_err(|_| Full)?;
        self.peak.fetch_max(before + bytes as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Counts memory that was given back.
    pub(crate) fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    /// Makes room in a list; while it grows, old and new are both there.
    pub(crate) fn reserve<T>(&self, list: &mut Vec<T>, more: usize) -> Result<(), Full> {
        let needed = list.len() + more;
        if needed <= list.capacity() {
            return Ok(());
        }
        let old = list.capacity() * size_of::<T>();
        let capacity = needed.max(list.capacity() * 2).max(64);
        self.claim(capacity * size_of::<T>())?;
        let reserved = list.try_reserve_exact(capacity - list.len());
        self.release(if reserved.is_ok() { old } else { capacity * size_of::<T>() });
        reserved.map_err(|_| Full)
    }

    /// Gives a list away.
    pub(crate) fn drop_list<T>(&self, list: Vec<T>) {
        self.release(list.capacity() * size_of::<T>());
        drop(list);
    }
}
