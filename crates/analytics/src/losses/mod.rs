//! Visits that were never stored, by their time. An answer about last week is not exact if visits
//! of last week are missing. This file has those of the process that are not in the database yet.
//!
//! | module | holds |
//! |---|---|
//! | `table` | the losses in the database |
//! | `file` | the losses beside the database, while it accepts none |

mod file;
pub mod table;

use std::sync::{
    Mutex, MutexGuard, PoisonError, TryLockError,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use slugline_domain::{UnixMillis, VisitFilter};

use crate::sampled::QuestionScope;

pub(crate) use file::LossFile;

const MILLIS_PER_MINUTE: i64 = 60_000;

/// The most entries of a list: a week of minutes. After that, its last entry is extended.
pub(super) const MOST: usize = 10_080;

/// Visits that were lost in a range of minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The first minute, counted since 1970.
    pub from: i64,
    /// The last minute, usually the same.
    pub until: i64,
    pub visits: u64,
}

impl Loss {
    /// A number of visits lost between two moments.
    pub fn between(first: UnixMillis, last: UnixMillis, visits: u64) -> Self {
        Self {
            from: minute(first),
            until: minute(last),
            visits,
        }
    }

    /// A number of visits lost in the time span of the others.
    pub fn among(others: &[UnixMillis], visits: u64) -> Self {
        match (others.iter().min(), others.iter().max()) {
            (Some(&first), Some(&last)) => Self::between(first, last, visits.max(1)),
            _ => Self::unknown(),
        }
    }

    /// The same losses as at most `most` entries.
    pub(super) fn few(losses: &[Self], most: usize) -> Vec<Self> {
        let together = losses.len().div_ceil(most).max(1);
        losses.chunks(together).filter_map(Self::of_all).collect()
    }

    /// Several losses as one; `None` if there are none.
    pub(crate) fn of_all(losses: &[Self]) -> Option<Self> {
        Some(Self {
            from: losses.iter().map(|loss| loss.from).min()?,
            until: losses.iter().map(|loss| loss.until).max()?,
            visits: losses
                .iter()
                .fold(0, |visits, loss| visits.saturating_add(loss.visits)),
        })
    }

    /// Returns whether any of these minutes may lack a visit.
    fn is_in(&self, (from, until): (i64, i64)) -> bool {
        self.until >= from && self.from <= until
    }

    /// An unknown number of visits, lost at an unknown time.
    pub fn unknown() -> Self {
        Self::between(UnixMillis::new(i64::MIN), UnixMillis::new(i64::MAX), 1)
    }
}

/// The visits of losses that an answer about this time may lack.
pub fn among(losses: &[Loss], filter: &VisitFilter) -> u64 {
    let Some(minutes) = QuestionScope::by(filter).minutes() else {
        return 0;
    };
    let meant = losses.iter().filter(|loss| loss.is_in(minutes));
    meant.fold(0, |visits, loss| visits.saturating_add(loss.visits))
}

/// The minute of a moment, counted since 1970.
fn minute(at: UnixMillis) -> i64 {
    at.get().div_euclid(MILLIS_PER_MINUTE)
}

/// The losses that are not in the database yet.
#[derive(Debug, Default)]
pub struct Losses {
    unsaved: Mutex<Vec<Loss>>,
    /// The number of visits that were lost while another thread held the lock, and the minute of the
    /// last one.
    unplaced: AtomicU64,
    unplaced_minute: AtomicI64,
    since_start: AtomicU64,
}

impl Losses {
    /// Adds visits of this moment. A redirect calls this, so it never waits.
    pub(crate) fn add(&self, at: UnixMillis, visits: u64) {
        self.add_all(Loss::between(at, at, visits));
    }

    /// Adds visits of a few minutes. It never waits.
    pub(crate) fn add_all(&self, loss: Loss) {
        self.since_start.fetch_add(loss.visits, Ordering::Relaxed);
        let mut unsaved = match self.unsaved.try_lock() {
            Ok(unsaved) => unsaved,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                self.unplaced_minute.store(loss.until, Ordering::Relaxed);
                self.unplaced.fetch_add(loss.visits, Ordering::Release);
                return;
            }
        };
        add(&mut unsaved, loss);
    }

    /// The number of visits that were lost since the start.
    pub(crate) fn since_start(&self) -> u64 {
        self.since_start.load(Ordering::Relaxed)
    }

    /// Visits that may be missing from an answer about this time, on any link, besides those that
    /// [`concerning`](super::table::concerning) finds in the database. Ask for these first: a loss
    /// may be saved meanwhile.
    pub fn concerning(&self, filter: &VisitFilter) -> u64 {
        among(&self.placed(), filter)
    }

    /// Losses that are not in the database yet.
    pub(crate) fn unsaved(&self) -> Vec<Loss> {
        self.placed().clone()
    }

    /// Forgets the losses that [`Losses::unsaved`] returned, because the database has them.
    pub(crate) fn saved(&self, losses: &[Loss]) {
        let mut unsaved = self.placed();
        // Meanwhile some became larger, and others came after them.
        for (loss, saved) in unsaved.iter_mut().zip(losses) {
            loss.visits -= saved.visits;
        }
        unsaved.retain(|loss| loss.visits > 0);
    }

    /// All unsaved losses, those that waited for the lock included.
    fn placed(&self) -> MutexGuard<'_, Vec<Loss>> {
        let mut unsaved = self.unsaved.lock().unwrap_or_else(PoisonError::into_inner);
        let visits = self.unplaced.swap(0, Ordering::Acquire);
        if visits > 0 {
            let minute = self.unplaced_minute.load(Ordering::Relaxed);
            let (from, until) = (minute, minute);
            let loss = Loss {
                from,
                until,
                visits,
            };
            add(&mut unsaved, loss);
        }
        unsaved
    }
}

/// Adds a loss to a list.
fn add(list: &mut Vec<Loss>, loss: Loss) {
    let is_same = |known: &Loss| (known.from, known.until) == (loss.from, loss.until);
    // Most losses belong to the latest minute.
    if let Some(same) = list.iter().rposition(is_same) {
        list[same].visits += loss.visits;
        return;
    }
    let extended = if list.len() < MOST { None } else { list.pop() };
    list.extend(Loss::of_all(&[extended.as_slice(), &[loss]].concat()));
}

#[cfg(test)]
mod tests {
    use slugline_testkit::questions;

    use super::*;

    fn at(minute: i64) -> UnixMillis {
        UnixMillis::new(minute * 60_000 + 59_999)
    }

    fn between(from: i64, until: i64) -> VisitFilter {
        questions::between(from * 60, until * 60)
    }

    #[test]
    fn a_loss_concerns_questions_about_its_minute_and_no_others() {
        let losses = Losses::default();
        losses.add(at(10), 3);
        losses.add(at(12), 4);
        losses.add(at(12), 1);
        assert_eq!(losses.concerning(&VisitFilter::default()), 8);
        for (from, until, expected) in [(0, 9, 0), (10, 11, 3), (11, 11, 0), (12, 99, 5)] {
            assert_eq!(losses.concerning(&between(from, until)), expected);
        }
    }

    #[test]
    fn losses_that_are_saved_meanwhile_count_once() {
        let losses = Losses::default();
        losses.add(at(7), 2);
        let unsaved = losses.unsaved();
        // Another visit is lost before those losses are on the disk.
        losses.add(at(7), 1);
        losses.saved(&unsaved);
        assert_eq!(losses.concerning(&VisitFilter::default()), 1);
        assert_eq!(losses.unsaved(), [Loss::between(at(7), at(7), 1)]);
    }

    #[test]
    fn a_loss_is_not_forgotten_while_another_thread_reads() {
        let losses = Losses::default();
        let reading = losses.unsaved.lock().unwrap();
        losses.add(at(7), 2);
        drop(reading);
        assert_eq!(losses.concerning(&between(7, 7)), 2);
        assert_eq!(losses.concerning(&between(8, 8)), 0);
    }

    #[test]
    fn losses_that_wait_for_the_disk_take_bounded_room() {
        let losses = Losses::default();
        for minute in 0..15_000 {
            losses.add(at(minute), 1);
        }
        assert_eq!(losses.unsaved().len(), MOST);
        assert_eq!(losses.concerning(&VisitFilter::default()), 15_000);
        assert_eq!(losses.concerning(&between(0, 1)), 2);
    }
}
