//! An older store, and the migration of its links.

use std::{error::Error as StdError, fmt};

use async_trait::async_trait;
use thiserror::Error;

use crate::{
    Advance, FailedEntry, MigrationState, MigrationStep, OldCursor, OldLink, OldPage, Slug,
    UnixSeconds, ports::links::StoreError,
};

/// Stores the progress of the migration, beside the links. Each method is one
/// transaction.
#[async_trait]
pub trait MigrationStore: fmt::Debug + Send + Sync {
    /// The stored progress.
    async fn state(&self) -> Result<MigrationState, StoreError>;

    /// Starts the run after the latest one, if that is still the one that
    /// `after` names; `None` means that there is no run yet. Returns whether it
    /// did.
    async fn begin(&self, after: Option<u32>, now: UnixSeconds) -> Result<bool, StoreError>;

    /// Inserts the links of a page and counts the page as done, both or
    /// neither, if it is the next one of the latest run. It leaves out a link
    /// whose key is in use, even if only by an expired link. Each inserted link leaves a line
    /// in the audit trail.
    async fn advance(&self, step: &MigrationStep) -> Result<Advance, StoreError>;

    /// The first entries of a run that could not be moved, in the order in
    /// which they were read.
    async fn failures(&self, run: u32) -> Result<Vec<FailedEntry>, StoreError>;
}

/// The key-value store of an older instance. Slugline only reads it.
#[async_trait]
pub trait OldStore: fmt::Debug + Send + Sync {
    /// A page of entries from a position on, or from the start. Reading all
    /// pages yields every entry that was in the store throughout.
    async fn page(&self, from: Option<&OldCursor>) -> Result<OldPage, OldStoreError>;

    /// The link under exactly this spelling; `None` also if the entry cannot be
    /// read as a link.
    async fn find(&self, slug: &Slug) -> Result<Option<OldLink>, OldStoreError>;

    /// Checks that the store can be read.
    async fn ping(&self) -> Result<(), OldStoreError>;
}

/// The old store failed.
#[derive(Debug, Error)]
pub enum OldStoreError {
    /// The store was replaced or restarted since it gave the position. Only a
    /// run from the start is sure to miss nothing.
    #[error("the old link store was replaced or restarted since its last page")]
    CursorLost,
    /// It is not a store of links, and trying again will not change that.
    #[error("the old link store cannot be used: {0}")]
    Unusable(String),
    /// It does not answer at the moment.
    #[error("the old link store failed to {action}")]
    Unavailable {
        /// The action that failed: the rest of "failed to …".
        action: &'static str,
        /// The reason.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
}
