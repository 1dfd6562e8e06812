//! The losses of this process that are not in the database yet.

use std::sync::{
    Mutex, MutexGuard, PoisonError, TryLockError,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

use slugline_domain::{UnixMillis, VisitFilter};

use super::loss::{Loss, MOST, among};

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
    use slugline_domain::UnixSeconds;

    use super::*;

    fn at(minute: i64) -> UnixMillis {
        UnixMillis::new(minute * 60_000 + 59_999)
    }

    fn between(from: i64, until: i64) -> VisitFilter {
        let second = |minute: i64| UnixSeconds::new(minute * 60).ok();
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
