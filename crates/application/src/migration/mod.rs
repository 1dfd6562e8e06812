//! Moves links here from an older instance's key-value store.
//!
//! Until every link is here, the lock keeps API clients from using links, and visitors
//! are served from the old store where necessary.

mod old_links;
mod run;

use std::{sync::Arc, time::Duration};

use quick_cache::sync::Cache;
use slugline_domain::{
    FailedEntry, MigrationRun, MigrationState, Scope, UnixSeconds,
    ports::{Clock, MigrationStore, OldStore, OldStoreError},
};

pub use self::{
    old_links::{MigrationLock, OldLinks},
    run::{ExpiredEntry, RunCursor, RunMigration, RunReport},
};
use crate::{access::Access, error::Error, passwords::Passwords};

/// The use cases of the migration.
#[derive(Clone, Debug)]
pub struct LinkMigration {
    progress: Arc<dyn MigrationStore>,
    clock: Arc<dyn Clock>,
    lock: MigrationLock,
    /// `None` if there is nothing to move.
    old: Option<Arc<OldLinks>>,
    started_at: UnixSeconds,
}

/// The dependencies of the migration.
#[derive(Debug)]
pub struct LinkMigrationParts {
    /// Stores the progress of the migration.
    pub progress: Arc<dyn MigrationStore>,
    /// The store to move from, if there is one.
    pub old_store: Option<Arc<dyn OldStore>>,
    /// Hashes passwords that were stored in clear.
    pub passwords: Arc<Passwords>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

/// The progress of the migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MigrationStatus {
    /// There was never anything to move.
    NotNeeded {
        /// The second since which that is known.
        since: UnixSeconds,
    },
    /// Links are still in the old store.
    Waiting {
        /// The current run, if there is one.
        run: Option<MigrationRun>,
        /// The entries that the run could not move.
        failures: Vec<FailedEntry>,
    },
    /// Every link is here.
    Completed {
        /// The latest completed run.
        run: MigrationRun,
        /// The entries that the run could not move.
        failures: Vec<FailedEntry>,
    },
}

impl LinkMigration {
    /// The interval at which a waiting node checks whether another node has completed the
    /// migration.
    const WATCH_PERIOD: Duration = Duration::from_secs(1);

    /// Creates the use cases. The lock is open if there is no old store, or if the
    /// migration is known to be completed.
    ///
    /// # Errors
    /// The progress of the migration cannot be read.
    pub async fn new(parts: LinkMigrationParts) -> Result<Self, Error> {
        let completed = parts.progress.state().await?.completed.is_some();
        let lock = if completed || parts.old_store.is_none() {
            MigrationLock::open()
        } else {
            MigrationLock::closed()
        };
        let old = parts.old_store.map(|store| {
            Arc::new(OldLinks {
                store,
                passwords: parts.passwords,
                clock: Arc::clone(&parts.clock),
                lock: lock.clone(),
                hashed: Cache::new(OldLinks::HASHED),
            })
        });
        Ok(Self {
            progress: parts.progress,
            started_at: parts.clock.now().second(),
            clock: parts.clock,
            lock,
            old,
        })
    }

    /// The lock that keeps links from being used before they are here.
    pub fn lock(&self) -> MigrationLock {
        self.lock.clone()
    }

    /// The links of the old store that visitors may still be served from.
    pub fn old_links(&self) -> Option<Arc<OldLinks>> {
        self.old.clone()
    }

    /// Checks that the old store can be read, if there is one.
    ///
    /// # Errors
    /// The old store cannot be read.
    pub async fn reach(&self) -> Result<(), OldStoreError> {
        match &self.old {
            Some(old) => old.store.ping().await,
            None => Ok(()),
        }
    }

    /// The access rule of [`Self::status`]. Only adapters check it.
    pub const STATUS: Access = Access::always(Scope::Admin);

    /// Returns the progress of the migration.
    ///
    /// # Errors
    /// The link store failed.
    pub async fn status(&self) -> Result<MigrationStatus, Error> {
        let state = self.state().await?;
        if let Some(run) = state.completed {
            let failures = self.progress.failures(run.number).await?;
            return Ok(MigrationStatus::Completed { run, failures });
        }
        if self.old.is_none() {
            let since = self.started_at;
            return Ok(MigrationStatus::NotNeeded { since });
        }
        let run = state.latest;
        let failures = match &run {
            Some(run) => self.progress.failures(run.number).await?,
            None => Vec::new(),
        };
        Ok(MigrationStatus::Waiting { run, failures })
    }

    /// Returns whether a migration was begun that cannot continue, because the settings
    /// no longer name the old store.
    ///
    /// # Errors
    /// The link store failed.
    pub async fn is_abandoned(&self) -> Result<bool, Error> {
        let state = self.progress.state().await?;
        Ok(self.old.is_none() && state.completed.is_none() && state.latest.is_some())
    }

    /// Returns once the lock is open, whichever node completed the migration. Repeats the
    /// check while the link store does not answer.
    pub async fn watch(&self) {
        while !self.lock.is_open() {
            tokio::time::sleep(Self::WATCH_PERIOD).await;
            // A failure here shows in every request, too.
            let _ = self.state().await;
        }
    }

    /// Reads the state of the migration, and opens the lock if the migration is
    /// completed.
    async fn state(&self) -> Result<MigrationState, Error> {
        let state = self.progress.state().await?;
        if state.completed.is_some() {
            self.lock.unlock();
        }
        Ok(state)
    }
}
