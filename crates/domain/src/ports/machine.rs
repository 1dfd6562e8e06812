//! The machine: its clock, random source, disk and database file.

use std::fmt;

use thiserror::Error;

use crate::UnixMillis;

/// Watches the links database.
pub trait LinksWatch: fmt::Debug + Send + Sync {
    /// True if a check found damage. Health checks call this, so it must be quick.
    fn is_damaged(&self) -> bool;

    /// True if the last change failed, as on a full disk. Just as quick.
    fn refuses_changes(&self) -> bool;
}

/// Watches the disk that the service writes to.
pub trait DiskWatch: fmt::Debug + Send + Sync {
    /// The trouble with the disk, if there is any. Health checks call this, so it
    /// must be quick.
    fn trouble(&self) -> Option<DiskTrouble>;
}

/// A disk that accepts no data, or soon will not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DiskTrouble {
    /// Little space is left.
    #[error("the disk of the data folder has {} MiB left", free_bytes >> 20)]
    NearlyFull {
        /// The bytes that the service may still write.
        free_bytes: u64,
    },
    /// It is mounted for reading only.
    #[error("the disk of the data folder is mounted for reading only")]
    ReadOnly,
    /// The system does not report the state.
    #[error("the data folder cannot be examined")]
    Unknown,
}

/// Tells the time.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The present moment.
    fn now(&self) -> UnixMillis;
}

/// Gives unpredictable bytes.
pub trait Random: fmt::Debug + Send + Sync {
    /// Fills the buffer.
    fn fill(&self, buffer: &mut [u8]);
}
