//! What the recorder, its writer and the log's answers share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Visits that were never stored, and whether the end has come.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    dropped: AtomicU64,
    closing: AtomicBool,
}

impl Tally {
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
