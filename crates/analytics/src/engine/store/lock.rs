//! Lets a process replace the file only while no other writes to it.
//!
//! The lock is on a file of its own. SQLite's locks belong to the database
//! file, which a rebuild exchanges, and closing any handle of that file would
//! end SQLite's locks of the whole process (`fcntl(2)`).
//!
//! A second lock lets an export read chunk after chunk, each in a transaction of
//! its own, while no rows move from one chunk to another.

use std::{
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::error::OpenError;

/// A lock that was just given back can seem to be held: a program that another
/// thread starts has copies of all open files until its own code runs.
const TRIES: u32 = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

/// Taken by each process that writes. There may be several for a moment, as
/// during a restart.
pub(crate) fn share(path: &Path) -> Result<File, OpenError> {
    retried(|| take(path, WRITERS, File::try_lock_shared))
}

/// Taken by who replaces the file.
pub(crate) fn take_alone(path: &Path) -> Result<File, OpenError> {
    retried(|| take(path, WRITERS, File::try_lock))
}

/// Keeps chunks from being merged, so that each row stays in its chunk or is deleted. It ends
/// with the file that is returned, also when the process dies. A merge takes a moment, which is
/// waited for.
pub(crate) fn keep_chunks(path: &Path) -> Result<File, OpenError> {
    const PAUSE: Duration = Duration::from_millis(20);
    const LONGEST: Duration = Duration::from_secs(30);

    let path = &resolved(path)?;
    let until = Instant::now() + LONGEST;
    loop {
        match take(path, CHUNKS, File::try_lock_shared) {
            Err(OpenError::InUse { .. }) if Instant::now() < until => thread::sleep(PAUSE),
            taken => return taken,
        }
    }
}

/// Taken by who merges chunks; `None` while somebody keeps them as they are.
pub(crate) fn merge_chunks(path: &Path) -> Result<Option<File>, OpenError> {
    match take(&resolved(path)?, CHUNKS, File::try_lock) {
        Ok(alone) => Ok(Some(alone)),
        Err(OpenError::InUse { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The file itself, which SQLite names where others may know a symbolic link to it.
fn resolved(path: &Path) -> Result<PathBuf, OpenError> {
    path.canonicalize().map_err(|source| OpenError::Lock {
        path: path.to_owned(),
        source,
    })
}

/// The ends of the names of the files that hold the locks.
const WRITERS: &str = ".lock";
const CHUNKS: &str = ".chunks-lock";

/// The file with so much added to its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn retried(take: impl Fn() -> Result<File, OpenError>) -> Result<File, OpenError> {
    for _ in 1..TRIES {
        match take() {
            Err(OpenError::InUse { .. }) => thread::sleep(BETWEEN_TRIES),
            taken => return taken,
        }
    }
    take()
}

fn take(
    path: &Path,
    suffix: &str,
    lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<File, OpenError> {
    let failed = |source: io::Error| OpenError::Lock {
        path: path.to_owned(),
        source,
    };
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(beside(path, suffix))
        .map_err(failed)?;
    match lock(&file) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}
