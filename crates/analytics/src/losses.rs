//! Visits that were never stored, by their time. An answer about last week is not exact if visits
//! of last week are missing.

use std::sync::{
    Mutex, MutexGuard, PoisonError, TryLockError,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use slugline_domain::{UnixMillis, VisitFilter};

const MILLIS_PER_MINUTE: i64 = 60_000;
const SECONDS_PER_MINUTE: i64 = 60;

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

    /// Several losses as one; `None` if there are none.
    pub fn of_all(losses: &[Self]) -> Option<Self> {
        Some(Self {
            from: losses.iter().map(|loss| loss.from).min()?,
            until: losses.iter().map(|loss| loss.until).max()?,
            visits: losses
                .iter()
                .fold(0, |visits, loss| visits.saturating_add(loss.visits)),
        })
    }

    /// An unknown number of visits, lost at an unknown time.
    pub fn unknown() -> Self {
        Self::between(UnixMillis::new(i64::MIN), UnixMillis::new(i64::MAX), 1)
    }
}

/// All known losses, saved on the disk or not yet.
#[derive(Debug, Default)]
pub struct Losses {
    book: Mutex<Book>,
    /// The number of visits that were lost while another thread held the lock of the book, and the
    /// minute of the last one.
    unplaced: AtomicU64,
    unplaced_minute: AtomicI64,
}

#[derive(Debug, Default)]
struct Book {
    on_disk: Vec<Loss>,
    unsaved: Vec<Loss>,
}

impl Losses {
    /// Adds lost visits. A redirect calls this, so it never waits.
    pub fn add(&self, at: UnixMillis, visits: u64) {
        let minute = minute(at);
        match self.book.try_lock() {
            Ok(mut book) => book.add(minute, visits),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().add(minute, visits),
            Err(TryLockError::WouldBlock) => {
                self.unplaced_minute.store(minute, Ordering::Relaxed);
                self.unplaced.fetch_add(visits, Ordering::Release);
            }
        }
    }

    /// Visits that may be missing from an answer about this time, on any link.
    pub fn concerning(&self, filter: &VisitFilter) -> u64 {
        let minute = |second: i64| second.div_euclid(SECONDS_PER_MINUTE);
        let from = filter.from.map_or(i64::MIN, |from| minute(from.get()));
        let until = filter.until.map_or(i64::MAX, |until| minute(until.get()));
        let book = self.placed();
        let all = book.on_disk.iter().chain(&book.unsaved);
        all.filter(|loss| loss.until >= from && loss.from <= until)
            .map(|loss| loss.visits)
            .sum()
    }

    /// Loads the losses that are on the disk.
    pub fn load(&self, losses: Vec<Loss>) {
        self.placed().on_disk = losses;
    }

    /// Losses that are not on the disk yet.
    pub fn unsaved(&self) -> Vec<Loss> {
        self.placed().unsaved.clone()
    }

    /// Marks the losses that [`Losses::unsaved`] returned as saved.
    pub fn saved(&self, losses: &[Loss]) {
        let mut book = self.placed();
        for saved in losses {
            for loss in &mut book.unsaved {
                if loss.from == saved.from {
                    loss.visits -= saved.visits;
                }
            }
        }
        book.unsaved.retain(|loss| loss.visits > 0);
        for &saved in losses {
            match book.on_disk.last_mut() {
                Some(last) if (last.from, last.until) == (saved.from, saved.until) => {
                    last.visits += saved.visits;
                }
                Some(_) | None => book.on_disk.push(saved),
            }
        }
    }

    /// The book with all losses, those that waited for its lock included.
    fn placed(&self) -> MutexGuard<'_, Book> {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        let visits = self.unplaced.swap(0, Ordering::Acquire);
        if visits > 0 {
            book.add(self.unplaced_minute.load(Ordering::Relaxed), visits);
        }
        book
    }
}

impl Book {
    /// The most losses that wait for the disk: a day of minutes. After that,
    /// the last one is extended to later minutes.
    const MOST: usize = 1_440;

    fn add(&mut self, minute: i64, visits: u64) {
        let full = self.unsaved.len() >= Self::MOST;
        // Most losses belong to the latest minute.
        let known = self.unsaved.iter_mut().rev();
        let mut same = known.filter(|loss| (loss.from..=loss.until).contains(&minute));
        if let Some(loss) = same.next() {
            loss.visits += visits;
        } else if let (true, Some(last)) = (full, self.unsaved.last_mut()) {
            last.until = last.until.max(minute);
            last.visits += visits;
        } else {
            self.unsaved.push(Loss {
                from: minute,
                until: minute,
                visits,
            });
        }
    }
}

fn minute(at: UnixMillis) -> i64 {
    at.get().div_euclid(MILLIS_PER_MINUTE)
}

#[cfg(test)]
mod tests {
    use slugline_domain::UnixSeconds;

    use super::*;

    fn at(minute: i64) -> UnixMillis {
        UnixMillis::new(minute * MILLIS_PER_MINUTE + 59_999)
    }

    fn between(from: i64, until: i64) -> VisitFilter {
        let second = |minute: i64| UnixSeconds::new(minute * SECONDS_PER_MINUTE).ok();
        VisitFilter {
            from: second(from),
            until: second(until),
            ..VisitFilter::default()
        }
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
    fn losses_of_before_the_start_and_saved_ones_count_once() {
        let losses = Losses::default();
        losses.load(vec![Loss::between(at(1), at(2), 5)]);
        losses.add(at(7), 2);
        let unsaved = losses.unsaved();
        // Another visit is lost before those losses are on the disk.
        losses.add(at(7), 1);
        losses.saved(&unsaved);
        assert_eq!(losses.concerning(&VisitFilter::default()), 8);
        assert_eq!(losses.concerning(&between(2, 2)), 5);
        assert_eq!(losses.unsaved(), [Loss::between(at(7), at(7), 1)]);
    }

    #[test]
    fn a_loss_is_not_forgotten_while_another_thread_reads() {
        let losses = Losses::default();
        let reading = losses.book.lock().unwrap();
        losses.add(at(7), 2);
        drop(reading);
        assert_eq!(losses.concerning(&between(7, 7)), 2);
        assert_eq!(losses.concerning(&between(8, 8)), 0);
    }

    #[test]
    fn losses_that_wait_for_the_disk_take_bounded_room() {
        let losses = Losses::default();
        for minute in 0..5_000 {
            losses.add(at(minute), 1);
        }
        assert_eq!(losses.unsaved().len(), Book::MOST);
        assert_eq!(losses.concerning(&VisitFilter::default()), 5_000);
        assert_eq!(losses.concerning(&between(0, 1)), 2);
    }
}
