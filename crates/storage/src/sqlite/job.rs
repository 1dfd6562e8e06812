//! A change on its way to the thread that writes, and its answer on the way
//! back.

use std::fmt;

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::statements::{Statements, complete};
use crate::{
    failure::Failure,
    session::{Applied, Change},
};

/// A change that waits, whatever its type.
pub(super) trait Job: fmt::Debug + Send {
    /// Applies the change in a transaction; may be called again after that was
    /// rolled back.
    fn apply(&mut self, statements: Statements<'_>) -> Result<Wish, Failure>;

    /// Tells its author what [`Job::apply`] came to.
    fn answer(self: Box<Self>);

    /// Tells its author that nothing was changed.
    fn refuse(self: Box<Self>, failure: Failure);
}

/// What is to become of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Commit,
    RollBack,
}

/// A change, and somebody who waits for its answer.
pub(super) struct Waiting<C: Change> {
    change: C,
    applied: Option<C::Answer>,
    author: oneshot::Sender<Result<C::Answer, Failure>>,
    /// A place in the queue, free again when this goes.
    _place: OwnedSemaphorePermit,
}

impl<C: Change> Waiting<C> {
    /// Packs a change; the answer comes by the channel.
    pub(super) fn new(
        change: C,
        place: OwnedSemaphorePermit,
    ) -> (Self, oneshot::Receiver<Result<C::Answer, Failure>>) {
        let (author, answer) = oneshot::channel();
        let waiting = Self {
            change,
            applied: None,
            author,
            _place: place,
        };
        (waiting, answer)
    }
}

impl<C: Change> Job for Waiting<C> {
    fn apply(&mut self, statements: Statements<'_>) -> Result<Wish, Failure> {
        let (answer, wish) = match complete(self.change.apply(&statements))? {
            Applied::Keep(answer) => (answer, Wish::Commit),
            Applied::Undo(answer) => (answer, Wish::RollBack),
        };
        self.applied = Some(answer);
        Ok(wish)
    }

    fn answer(self: Box<Self>) {
        let answer = self.applied.ok_or(Failure::WriterEnded);
        // The author may have lost interest.
        let _ = self.author.send(answer);
    }

    fn refuse(self: Box<Self>, failure: Failure) {
        let _ = self.author.send(Err(failure));
    }
}

impl<C: Change> fmt::Debug for Waiting<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Waiting").finish_non_exhaustive()
    }
}
