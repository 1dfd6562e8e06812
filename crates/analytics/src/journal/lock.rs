//! Lets a process replace the file only while no other writes to it.
//!
//! The lock is on a file of its own. SQLite's locks belong to the database
//! file, which a rebuild exchanges, and closing any handle of that file would
//! end SQLite's locks of the whole process (`fcntl(2)`).

use std::{
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use super::error::OpenError;

/// A lock can seem to be held just after its release: a program that another thread starts has
/// copies of all open files until its own code runs.
pub(crate) const TRIES: u32 = 20;
pub(crate) const BETWEEN_TRIES: Duration = Duration::from_millis(10);

/// Takes the lock that processes which write share. During a restart several of them hold it for a
/// moment.
pub fn share(path: &Path) -> Result<File, OpenError> {
    retried(|| take(path, WRITERS, File::try_lock_shared))
}

/// Takes the lock alone, in order to replace the file.
pub fn take_alone(path: &Path) -> Result<File, OpenError> {
    retried(|| take(path, WRITERS, File::try_lock))
}

/// The end of the name of the file that holds the lock.
const WRITERS: &str = ".lock";

fn retried(take: impl Fn() -> Result<File, OpenError>) -> Result<File, OpenError> {
    for _ in 1..TRIES {
        match take() {
            Err(OpenError::InUse { .. }) => thread::sleep(BETWEEN_TRIES),
            taken => return taken,
        }
    }
    take()
}

/// Takes a lock on the file beside another one, under the same name with this suffix.
pub fn take(
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

/// The path with this suffix.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
