//! Allows one running service for each data folder.

use std::{
    fs::{self, File, TryLockError},
    io::Write,
    path::Path,
    process,
};

use anyhow::{Context, bail};

const FILE: &str = "slugline.lock";

/// Holds the data folder for this process, until it is dropped. The operating system releases
/// it when the process dies for any reason.
#[derive(Debug)]
pub(crate) struct InstanceLock {
    _file: File,
}

impl InstanceLock {
    /// Locks the folder, which must exist. Two services on one folder would send the same
    /// visits to `ClickHouse` twice, and each would serve outdated links after the other
    /// changes them.
    ///
    /// # Errors
    /// Another service holds the folder; the error names its process.
    pub(crate) fn take(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(FILE);
        let mut file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .with_context(|| format!("{} cannot be opened", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!(
                "another slugline{} uses the folder {}; stop it, or name another folder in \
                 SLUGLINE_DATA_DIR",
                holder(&path),
                folder.display()
            ),
            // Some network file systems do not support locks.
            Err(TryLockError::Error(error)) => tracing::warn!(
                "the data folder cannot be locked ({error}); make sure that only one slugline \
                 uses it"
            ),
        }
        // Only the error text above uses the number.
        let _ = file
            .set_len(0)
            .and_then(|()| write!(file, "{}", process::id()));
        Ok(Self { _file: file })
    }
}

/// The process that wrote its number into the lock file, for an error text.
fn holder(path: &Path) -> String {
    fs::read_to_string(path)
        .ok()
        .and_then(|text| text.trim().parse::<u32>().ok())
        .map_or_else(String::new, |process| format!(" (process {process})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_holder_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = InstanceLock::take(folder.path()).unwrap();
        let error = InstanceLock::take(folder.path()).unwrap_err().to_string();
        let holder = format!("(process {})", process::id());
        assert!(error.contains(&holder), "{error}");
        drop(first);
        InstanceLock::take(folder.path()).unwrap();
    }
}
