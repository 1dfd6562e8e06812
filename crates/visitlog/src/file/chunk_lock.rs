//! A lock that lets an export read chunk after chunk, each in a transaction of its own, while no
//! rows move from one chunk to another.

use std::{
    fs::File,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use slugline_analytics::{OpenError, journal::lock::take};

/// The end of the name of the file that holds the lock.
const CHUNKS: &str = ".chunks-lock";

/// Keeps chunks from being merged, so that each row stays in its chunk or is deleted. It ends with
/// the file that is returned, also when the process dies. This waits for a running merge, which
/// takes a moment.
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

/// Takes the lock for merging chunks; `None` while another process keeps the chunks as they are.
pub(crate) fn merge_chunks(path: &Path) -> Result<Option<File>, OpenError> {
    match take(&resolved(path)?, CHUNKS, File::try_lock) {
        Ok(alone) => Ok(Some(alone)),
        Err(OpenError::InUse { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The file itself. SQLite uses its name, while others may know a symbolic link to it.
fn resolved(path: &Path) -> Result<PathBuf, OpenError> {
    path.canonicalize().map_err(|source| OpenError::Lock {
        path: path.to_owned(),
        source,
    })
}
