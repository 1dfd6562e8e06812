//! Counts of messages, for the log output.

use std::sync::{
    Mutex,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

/// Counts messages and logs them now and then. A receiver that is down fails
/// thousands of messages, and a line for each would say nothing more.
#[derive(Debug, Default)]
pub(super) struct Tally {
    taken: AtomicU64,
    finished: AtomicU64,
    lost: Mutex<Lost>,
    gone: AtomicBool,
}

#[derive(Debug, Default)]
struct Lost {
    /// Since the last report, like the other counts.
    dropped: u64,
    failed: u64,
    /// The reason of the latest failure.
    reason: String,
}

const UNPOISONED: &str = "nothing panics under it";

impl Tally {
    pub(super) fn take(&self) {
        self.taken.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn drop_one(&self) {
        self.lost.lock().expect(UNPOISONED).dropped += 1;
    }

    pub(super) fn dropped(&self) -> u64 {
        self.lost.lock().expect(UNPOISONED).dropped
    }

    pub(super) fn deliver(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn fail(&self, reason: String) {
        self.finished.fetch_add(1, Ordering::Relaxed);
        let mut lost = self.lost.lock().expect(UNPOISONED);
        lost.failed += 1;
        lost.reason = reason;
    }

    /// Notes that the receiver will never accept messages again.
    pub(super) fn receiver_went(&self) {
        if !self.gone.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the webhook's receiver is gone (410); it hears of no visits until the next start"
            );
        }
    }

    pub(super) fn receiver_is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// Logs the losses since the last report.
    pub(super) fn report(&self) {
        let Lost {
            dropped,
            failed,
            reason,
        } = std::mem::take(&mut *self.lost.lock().expect(UNPOISONED));
        if dropped > 0 {
            tracing::warn!(dropped, "the webhook's receiver is too slow for all visits");
        }
        if failed > 0 {
            tracing::warn!(
                failed,
                reason,
                "the webhook's receiver did not take all visits"
            );
        }
    }

    pub(super) fn report_last(&self) {
        self.report();
        let taken = self.taken.load(Ordering::Relaxed);
        let left = taken.saturating_sub(self.finished.load(Ordering::Relaxed));
        if left > 0 && !self.receiver_is_gone() {
            tracing::warn!(
                left,
                "the webhook's receiver is not told of the last visits"
            );
        }
    }
}
