//! Moving links here from an older instance's key-value store.
//!
//! Until every link is here, the lock keeps people from using links through the
//! API, and visitors are served from the old store where need be.

mod lock;
mod old_links;
mod run;

use std::{sync::Arc, time::Duration};

use quick_cache::sync::Cache;
use slugline_domain::{
    FailedEntry, MigrationRun, MigrationState, UnixSeconds,
    ports::{Clock, MigrationStore, OldStore, OldStoreError},
};

pub use self::{
    lock::MigrationLock,
    old_links::OldLinks,
    run::{ExpiredEntry, RunCursor, RunMigration, RunReport},
};
use crate::{Error, Passwords};

/// The use cases of the migration.
#[derive(Clone, Debug)]
pub struct LinkMigration {
    progress: Arc<dyn MigrationStore>,
    clock: Arc<dyn Clock>,
    lock: MigrationLock,
    /// `None` where nothing has to be moved.
    old: Option<Arc<OldLinks>>,
    started_at: UnixSeconds,
}

/// What the migration stands on.
#[derive(Debug)]
pub struct LinkMigrationParts {
    /// What is known of it, beside the links.
    pub progress: Arc<dyn MigrationStore>,
    /// The store to move from, where there is one.
    pub old_store: Option<Arc<dyn OldStore>>,
    /// Hashes passwords that were kept in clear.
    pub passwords: Arc<Passwords>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

/// How far the migration is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MigrationStatus {
    /// There was never anything to move.
    NotNeeded {
        /// Since when that is known.
        since: UnixSeconds,
    },
    /// Links wait in the old store.
    Waiting {
        /// The run in course, if there is one.
        run: Option<MigrationRun>,
        /// What it could not move.
        failures: Vec<FailedEntry>,
    },
    /// Every link is here.
    Completed {
        /// The latest run that came to its end.
        run: MigrationRun,
        /// What it could not move.
        failures: Vec<FailedEntry>,
    },
}

impl LinkMigration {
    /// How often a node that waits for the migration asks whether another one
    /// has completed it.
    const WATCH_PERIOD: Duration = Duration::from_secs(1);

    /// Builds the use cases. The lock is open where there is no old store, and
    /// where the migration is known to be completed.
    ///
    /// # Errors
    /// What is known of the migration cannot be read.
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

    /// What keeps links from being used before they are here.
    pub fn lock(&self) -> MigrationLock {
        self.lock.clone()
    }

    /// Links that visitors may still be served from the old store.
    pub fn old_links(&self) -> Option<Arc<OldLinks>> {
        self.old.clone()
    }

    /// Whether the old store can be read, where there is one.
    ///
    /// # Errors
    /// It cannot.
    pub async fn reach(&self) -> Result<(), OldStoreError> {
        match &self.old {
            Some(old) => old.store.ping().await,
            None => Ok(()),
        }
    }

    /// How far the migration is.
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

    /// Whether a migration was begun that nobody can go on with, because the
    /// old store is not named any more.
    ///
    /// # Errors
    /// The link store failed.
    pub async fn is_abandoned(&self) -> Result<bool, Error> {
        let state = self.progress.state().await?;
        Ok(self.old.is_none() && state.completed.is_none() && state.latest.is_some())
    }

    /// Returns once the lock is open, whichever node completed the migration.
    /// A link store that does not answer is asked again.
    pub async fn watch(&self) {
        while !self.lock.is_open() {
            tokio::time::sleep(Self::WATCH_PERIOD).await;
            // A failure here shows in every request, too.
            let _ = self.state().await;
        }
    }

    /// What is known, which opens the lock once the migration is completed.
    async fn state(&self) -> Result<MigrationState, Error> {
        let state = self.progress.state().await?;
        if state.completed.is_some() {
            self.lock.unlock();
        }
        Ok(state)
    }
}
