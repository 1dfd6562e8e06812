//! Listening for changes by other processes.

use tokio::task::AbortHandle;

/// The subjects of which a process hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Links,
    Tokens,
    Domains,
}

/// A running listener on PostgreSQL. Dropping this stops it.
#[derive(Debug)]
pub struct Listening(AbortHandle);

#[cfg(feature = "postgres")]
impl Listening {
    /// Stops this task in the end.
    pub(crate) fn task(task: AbortHandle) -> Self {
        Self(task)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}
