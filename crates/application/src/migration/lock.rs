//! Whether links can be used yet.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::Error;

/// Closed while links still wait in an older instance's store. Once open it
/// stays open. Clones share the state, and asking costs one load.
#[derive(Clone, Debug)]
pub struct MigrationLock(Arc<AtomicBool>);

impl MigrationLock {
    /// A lock that is open from the beginning: nothing has to be moved.
    pub fn open() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// A lock that is closed until the migration is found to be completed.
    pub fn closed() -> Self {
        Self(Arc::new(AtomicBool::new(false)))
    }

    /// Whether every link is here.
    pub fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// # Errors
    /// Links still wait in the old store.
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
