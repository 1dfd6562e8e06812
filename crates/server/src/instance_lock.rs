//! Allows one running service for each data folder, and no command beside a restore.
//!
//! | holds | service, `seed` | `import`, `export`, `visits`, `migrate`, `token`, `backup`, `doctor` | `restore` |
//! |---|---|---|---|
//! | [`InstanceLock`] | yes | no | yes |
//! | [`FilesInUse`] | no | yes, with others | no |
//! | [`FilesAlone`] | while it finishes a restore that was cut short | no | yes |

use std::{
    fs::{self, File, TryLockError},
    io::{Read, Seek, Write},
    path::{Path, PathBuf},
    process, thread,
};

use anyhow::{Context, bail};

const FILE: &str = "slugline.lock";

/// Holds the data folder for this process, until it is dropped. The operating system releases
/// it when the process dies for any reason.
///
/// The file has the number of its last holder, and behind it a mark while a service serves. A
/// service that stops removes the mark, so a start that finds the mark knows that a service was
/// killed.
#[derive(Debug)]
pub(crate) struct InstanceLock {
    file: File,
    path: PathBuf,
    /// The last service was killed.
    is_marked: bool,
}

/// The mark behind the number.
const SERVING: &str = " serving";

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
        let mut former = String::new();
        // A file that cannot be read or written costs an error text its number.
        let _ = file.read_to_string(&mut former);
        let mut lock = Self {
            file,
            path,
            is_marked: former.ends_with(SERVING),
        };
        // A restore or a start that fails keeps the mark for the next start.
        lock.write(lock.is_marked);
        Ok(lock)
    }

    /// Says that a service serves. True if the last one was killed.
    pub(crate) fn serve(&mut self) -> bool {
        let was_marked = self.is_marked;
        self.write(true);
        // The mark must outlive a power loss, and the start must not wait for the disk. A clone
        // of the handle would hold the lock, too.
        if let Ok(file) = File::open(&self.path) {
            thread::spawn(move || file.sync_data());
        }
        was_marked
    }

    /// Says that the service has stopped and has written everything.
    pub(crate) fn stop(&mut self) {
        self.write(false);
        // On a disk that refuses it the next start says that the service was killed. Its last
        // visits are as lost then.
        let _ = self.file.sync_data();
    }

    fn write(&mut self, is_marked: bool) {
        self.is_marked = is_marked;
        let mark = if is_marked { SERVING } else { "" };
        let text = format!("{}{mark}", process::id());
        // In place, so that a reader finds a number at any moment.
        let _ = self
            .file
            .rewind()
            .and_then(|()| self.file.write_all(text.as_bytes()))
            .and_then(|()| self.file.set_len(text.len().try_into().unwrap_or(0)));
    }
}

/// Keeps restores away from the files of a data folder while a command uses them, also beside
/// the service and other such commands.
#[derive(Debug)]
pub(crate) struct FilesInUse {
    _folder: Option<File>,
}

impl FilesInUse {
    /// Shares the folder. A folder that is missing or cannot be opened is not locked: no
    /// restore can write to it either.
    ///
    /// # Errors
    /// A restore into the folder is under way.
    pub(crate) fn share(folder: &Path) -> anyhow::Result<Self> {
        let Ok(file) = File::open(folder) else {
            return Ok(Self { _folder: None });
        };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => bail!(
                "a restore into the folder {} is under way; run this again when it has ended",
                folder.display()
            ),
            // Some file systems do not support locks; the lock of the instance warns of it.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self {
                _folder: Some(file),
            }),
        }
    }
}

/// Holds the files of a data folder for a restore: nothing else has them open.
#[derive(Debug)]
pub(crate) struct FilesAlone {
    _folder: Option<File>,
}

impl FilesAlone {
    /// Takes the files of a folder in which no service runs.
    ///
    /// # Errors
    /// A command uses the files.
    pub(crate) fn take(folder: &Path, _held: &InstanceLock) -> anyhow::Result<Self> {
        // Windows opens no folders; there, open files cannot be replaced anyway.
        let Ok(file) = File::open(folder) else {
            return Ok(Self { _folder: None });
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => bail!(
                "a command, such as `slugline import`, uses the folder {}; run this again when it \
                 has ended",
                folder.display()
            ),
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Self {
                _folder: Some(file),
            }),
        }
    }
}

/// The process that wrote its number into the lock file, for an error text.
fn holder(path: &Path) -> String {
    fs::read_to_string(path)
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<u32>().ok())
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

    #[test]
    fn the_next_service_knows_that_one_was_killed() {
        let folder = tempfile::tempdir().unwrap();
        let take = || InstanceLock::take(folder.path()).unwrap();
        assert!(!take().serve(), "it was the first");
        // A restore, or a start that failed.
        drop(take());
        let mut second = take();
        assert!(second.serve(), "the first did not stop");
        assert!(InstanceLock::take(folder.path()).is_err());
        let holder = format!(" (process {})", process::id());
        assert_eq!(super::holder(&folder.path().join(FILE)), holder);
        second.stop();
        drop(second);
        drop(take());
        assert!(!take().serve(), "the second did");
    }

    #[test]
    fn commands_share_the_files_and_a_restore_has_them_alone() {
        let folder = tempfile::tempdir().unwrap();
        let instance = InstanceLock::take(folder.path()).unwrap();
        let first = FilesInUse::share(folder.path()).unwrap();
        let second = FilesInUse::share(folder.path()).unwrap();
        drop(first);
        let error = FilesAlone::take(folder.path(), &instance).unwrap_err();
        assert!(error.to_string().contains("uses the folder"), "{error}");
        drop(second);
        let alone = FilesAlone::take(folder.path(), &instance).unwrap();
        let error = FilesInUse::share(folder.path()).unwrap_err();
        assert!(error.to_string().contains("is under way"), "{error}");
        drop(alone);
        FilesInUse::share(folder.path()).unwrap();
    }
}
