//! Questions that begin their transactions anew, so that the write-ahead log can begin
//! anew as well.
//!
//! SQLite uses the space of its log again when no reader needs what is in it. Two long
//! questions that overlap for ever would make it grow as long as visits come. So when it has
//! become long the writer asks for a break, and each question ends its transaction after the
//! chunk it reads and goes on in a new one. It knows its chunks by number, which stay the same:
//! visits that come meanwhile get other numbers, and as long as such a question is there, no
//! chunks are put together.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// The writer and all questions agree on breaks by this.
#[derive(Debug, Default)]
pub(crate) struct Renewals {
    wanted: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Questions that have begun a transaction anew.
    loose: usize,
    /// The number of merges of chunks so far.
    merges: u64,
}

impl Renewals {
    /// Asks all questions for a break, until the next call.
    pub(crate) fn want(&self, wanted: bool) {
        self.wanted.store(wanted, Ordering::Relaxed);
    }

    pub(crate) fn are_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
    }

    /// Puts chunks together by `merge`, unless a question relies on their numbers.
    pub(crate) fn merge<T>(&self, merge: impl FnOnce() -> T) -> Option<T> {
        let mut state = self.state();
        if state.loose > 0 || self.are_wanted() {
            return None;
        }
        state.merges += 1;
        Some(merge())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question's right to begin anew.
#[derive(Debug)]
pub(crate) struct Lease {
    renewals: Arc<Renewals>,
    /// The merges before its first transaction.
    merges: u64,
    is_loose: bool,
}

impl Lease {
    /// Taken before anything is read.
    pub(crate) fn new(renewals: &Arc<Renewals>) -> Self {
        Self {
            renewals: Arc::clone(renewals),
            merges: renewals.state().merges,
            is_loose: false,
        }
    }

    pub(crate) fn is_break_wanted(&self) -> bool {
        self.renewals.are_wanted()
    }

    /// True if the question has ended a transaction and begun a new one.
    pub(crate) fn is_loose(&self) -> bool {
        self.is_loose
    }

    /// True if the question may end its transaction and begin a new one: the chunks that it
    /// has read about are still the same.
    pub(crate) fn let_go(&mut self) -> bool {
        let mut state = self.renewals.state();
        if !self.is_loose && state.merges == self.merges {
            self.is_loose = true;
            state.loose += 1;
        }
        self.is_loose
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.is_loose {
            self.renewals.state().loose -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_lets_go_only_of_chunks_that_are_still_the_same() {
        let renewals = Arc::new(Renewals::default());
        let mut before = Lease::new(&renewals);
        assert_eq!(renewals.merge(|| 7), Some(7));
        assert!(!before.let_go());

        let mut after = Lease::new(&renewals);
        assert!(after.let_go() && after.let_go());
        assert_eq!(renewals.merge(|| 7), None);
        drop(before);
        assert_eq!(renewals.merge(|| 7), None);
        drop(after);
        assert_eq!(renewals.merge(|| 7), Some(7));
    }
}
