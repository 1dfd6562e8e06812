//! The turns of questions, which limit how many run at the same time.

use std::sync::Arc;

use slugline_analytics::QueryLimits;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// The turns of one log.
#[derive(Debug)]
pub(crate) struct Turns {
    free: Arc<Semaphore>,
    all: u32,
}

impl Turns {
    pub(crate) fn under(limits: QueryLimits) -> Self {
        let all = u32::try_from(limits.concurrent.max(1)).unwrap_or(u32::MAX);
        let free = usize::try_from(all).unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(free.min(Semaphore::MAX_PERMITS))),
            all,
        }
    }

    /// Waits for a turn, which ends when the permit is dropped.
    pub(crate) async fn next(&self) -> OwnedSemaphorePermit {
        let turn = Arc::clone(&self.free).acquire_owned().await;
        turn.expect("the semaphore is never closed")
    }

    /// Waits until no question has a turn, and keeps later ones waiting.
    pub(crate) fn all(
        &self,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> + Send + use<> {
        Arc::clone(&self.free).acquire_many_owned(self.all)
    }

    #[cfg(test)]
    pub(crate) fn free(&self) -> usize {
        self.free.available_permits()
    }
}
