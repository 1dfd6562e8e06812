//! The state that the recorder, its writer and the log share.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use slugline_domain::{LogTrouble, measure::Histogram};

use crate::losses::Losses;

/// The queue's length, the lost visits, the current troubles, and whether the
/// recorder is closed.
#[derive(Debug, Default)]
pub struct Tally {
    /// Messages above [`BYTE_BITS`], bytes below, so that a redirect pays one
    /// addition for both.
    waiting: AtomicU64,
    stored: AtomicU64,
    left_out: AtomicU64,
    /// The time that the engine took for a batch, failed attempts included.
    pub appends: Histogram,
    closing: AtomicBool,
    /// Visits that were never stored, by the time at which they came.
    pub losses: Losses,
    pub troubles: Troubles,
}

/// Bits of [`Tally::waiting`] that count bytes: a terabyte.
const BYTE_BITS: u32 = 40;

/// The number of messages, and their memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub messages: usize,
    pub bytes: usize,
}

impl Waiting {
    /// The most messages that the counter can hold.
    pub const MOST: usize = 1 << 23;

    fn read(packed: u64) -> Self {
        let number = |part: u64| usize::try_from(part).unwrap_or(usize::MAX);
        Self {
            messages: number(packed >> BYTE_BITS),
            bytes: number(packed & ((1 << BYTE_BITS) - 1)),
        }
    }
}

fn one_of(bytes: usize) -> u64 {
    (1 << BYTE_BITS) | u64::try_from(bytes).expect("a pointer's size fits 64 bits")
}

impl Tally {
    /// The messages in the queue, and those about to enter it.
    pub fn waiting(&self) -> Waiting {
        Waiting::read(self.waiting.load(Ordering::Relaxed))
    }

    /// Counts a message of `bytes` bytes and returns the previous count. Call this before
    /// pushing the message, or the writer could remove it first.
    pub fn enter_queue(&self, bytes: usize) -> Waiting {
        Waiting::read(self.waiting.fetch_add(one_of(bytes), Ordering::Relaxed))
    }

    pub fn leave_queue(&self, bytes: usize) {
        self.waiting.fetch_sub(one_of(bytes), Ordering::Relaxed);
    }

    /// Visits stored as rows since the start. A sampled one counts once.
    pub fn stored(&self) -> u64 {
        self.stored.load(Ordering::Relaxed)
    }

    pub fn store(&self, visits: usize) {
        let visits = u64::try_from(visits).unwrap_or(u64::MAX);
        self.stored.fetch_add(visits, Ordering::Relaxed);
    }

    /// Visits that have no row, because sampling lets others stand for them.
    pub fn left_out(&self) -> u64 {
        self.left_out.load(Ordering::Relaxed)
    }

    pub fn leave_out(&self) {
        self.left_out.fetch_add(1, Ordering::Relaxed);
    }

    pub fn close(&self) {
        self.closing.store(true, Ordering::Release);
    }

    pub fn closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }
}

/// Rows that cannot be read, by their number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Damaged {
    Chunk(i64),
    Batch(i64),
}

/// The current troubles.
#[derive(Debug, Default)]
pub struct Troubles {
    /// The disk refuses visits.
    pub not_storing: AtomicBool,
    /// The spool of visits for ClickHouse is full.
    pub full: AtomicBool,
    /// ClickHouse accepts no visits.
    pub not_shipping: AtomicBool,
    /// A thread panicked.
    pub panicked: AtomicBool,
    damaged: Mutex<BTreeSet<Damaged>>,
}

impl Troubles {
    /// Notes that rows cannot be read. Returns whether that is new.
    pub fn note_damage(&self, what: Damaged) -> bool {
        let damaged = self.damaged.lock();
        let mut damaged = damaged.unwrap_or_else(PoisonError::into_inner);
        damaged.insert(what)
    }

    pub fn list(&self) -> Vec<LogTrouble> {
        let damaged = self.damaged.lock();
        let damaged = !damaged.unwrap_or_else(PoisonError::into_inner).is_empty();
        let is = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        [
            (is(&self.not_storing), LogTrouble::NotStoring),
            (is(&self.full), LogTrouble::Full),
            (is(&self.not_shipping), LogTrouble::NotShipping),
            (is(&self.panicked), LogTrouble::Panicked),
            (damaged, LogTrouble::Damaged),
        ]
        .into_iter()
        .filter_map(|(there, trouble)| there.then_some(trouble))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_bytes_are_counted_together() {
        let tally = Tally::default();
        assert_eq!(tally.enter_queue(5_000).messages, 0);
        let before = tally.enter_queue(300);
        assert_eq!((before.messages, before.bytes), (1, 5_000));
        tally.leave_queue(5_000);
        let waiting = tally.waiting();
        assert_eq!((waiting.messages, waiting.bytes), (1, 300));
    }
}
