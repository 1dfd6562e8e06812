//! What the recorder, its writer and the log's answers share.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Visits that wait, visits that were never stored, and whether the end has
/// come.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    waiting: AtomicUsize,
    dropped: AtomicU64,
    closing: AtomicBool,
}

impl Tally {
    /// Messages in the queue, those included that are about to be.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Has to come before a message is pushed, or it could be taken out first.
    /// Tells how many were waiting.
    pub(crate) fn enter_queue(&self) -> usize {
        self.waiting.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn leave_queue(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    pub(crate) fn add_dropped(&self, visits: u64) {
        self.dropped.fetch_add(visits, Ordering::Relaxed);
    }

    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::Release);
    }

    pub(crate) fn closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }
}
