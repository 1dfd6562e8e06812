//! The lock on links until the migration is completed.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::error::Error;

/// Closed while links are still in an older instance's store. Once open, it stays open.
/// Clones share the state, and a check costs one load.
#[derive(Clone, Debug)]
pub struct MigrationLock(Arc<AtomicBool>);

impl MigrationLock {
    /// Creates an open lock, for an instance that has nothing to move.
    pub fn open() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// Creates a lock that is closed until the migration is completed.
    pub fn closed() -> Self {
        Self(Arc::new(AtomicBool::new(false)))
    }

    /// Returns whether every link has been moved here.
    pub fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// # Errors
    /// Links are still in the old store.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_open() {
            Ok(())
        } else {
            Err(Error::MigrationRequired)
        }
    }

    pub(super) fn unlock(&self) {
        self.0.store(true, Ordering::Release);
    }
}
