//! A change on its way to the writer thread, and its answer on the way back.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::statements::complete;
use crate::{
    failure::Failure,
    session::{Applied, Change, Session},
};

/// A waiting change of any type.
pub(super) trait Job: fmt::Debug + Send {
    /// Applies the change in a transaction. It may be called again after that
    /// was rolled back.
    fn apply(&mut self, session: Session<'_>) -> Result<Applied<()>, Failure>;

    /// Sends the result of [`Job::apply`] to the caller.
    fn answer(self: Box<Self>);

    /// Tells the caller that the change was not made.
    fn refuse(self: Box<Self>, failure: Failure);
}

/// A change and the channel to its waiting caller.
pub(super) struct Waiting<C, T> {
    change: C,
    applied: Option<T>,
    author: oneshot::Sender<Told<T>>,
    /// `None` for a change that no cache holds.
    unnoticed: Option<Unnoticed>,
    /// A slot of the queue, free again when this is dropped.
    _slot: OwnedSemaphorePermit,
}

impl<C, T> Waiting<C, T> {
    /// Packs a change; the answer comes through the channel.
    pub(super) fn new(
        change: C,
        unnoticed: Option<Unnoticed>,
        slot: OwnedSemaphorePermit,
    ) -> (Self, oneshot::Receiver<Told<T>>) {
        let (author, answer) = oneshot::channel();
        let waiting = Self {
            change,
            applied: None,
            author,
            unnoticed,
            _slot: slot,
        };
        (waiting, answer)
    }
}

impl<C: Change<T>, T: Send + 'static> Job for Waiting<C, T> {
    fn apply(&mut self, session: Session<'_>) -> Result<Applied<()>, Failure> {
        let (answer, end) = match complete((self.change)(&session))? {
            Applied::Commit(answer) => (answer, Applied::Commit(())),
            Applied::Rollback(answer) => (answer, Applied::Rollback(())),
        };
        self.applied = Some(answer);
        Ok(end)
    }

    fn answer(self: Box<Self>) {
        let told = Told {
            answer: Some(self.applied.ok_or(Failure::WriterEnded)),
            unnoticed: self.unnoticed,
        };
        // If the caller is gone, the change counts as unnoticed.
        drop(self.author.send(told));
    }

    fn refuse(self: Box<Self>, failure: Failure) {
        let told = Told {
            answer: Some(Err(failure)),
            unnoticed: self.unnoticed,
        };
        drop(self.author.send(told));
    }
}

impl<C, T> fmt::Debug for Waiting<C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").finish_non_exhaustive()
    }
}

/// Counts changes that this process's caches do not know of: those of other
/// processes, and those whose callers hung up before the answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Unnoticed(Arc<AtomicU64>);

impl Unnoticed {
    pub(super) fn count(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    pub(super) fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// The answer to the caller of a change. If the caller hung up at any moment
/// before taking it, the change counts as unnoticed.
#[derive(Debug)]
pub(super) struct Told<T> {
    answer: Option<Result<T, Failure>>,
    /// `None` for a change that no observer has to notice.
    unnoticed: Option<Unnoticed>,
}

impl<T> Told<T> {
    pub(super) fn take(mut self) -> Result<T, Failure> {
        self.answer.take().unwrap_or(Err(Failure::WriterEnded))
    }
}

impl<T> Drop for Told<T> {
    fn drop(&mut self) {
        if let (Some(_), Some(unnoticed)) = (&self.answer, &self.unnoticed) {
            unnoticed.add_one();
        }
    }
}
