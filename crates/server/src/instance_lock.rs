//! Allows one running service for each data folder, and no command beside a restore.
//!
//! | holds | service, `seed` | `import`, `export`, `visits`, `migrate`, `token`, `backup`, `doctor` | `restore` |
//! |---|---|---|---|
//! | [`InstanceLock`] | yes | no | yes |
//! | [`FilesInUse`] | no | yes, with others | no |
//! | [`FilesAlone`] | while it finishes a restore that was cut short | no | yes |

use std::{
    fs::{self, File, TryLockError},
    io::Write,
    path::Path,
    process, thread,
    time::Duration,
};

use anyhow::{Context, bail};

const FILE: &str = "slugline.lock";

/// Holds the data folder for this process, until it is dropped. The operating system releases
/// it when the process dies for any reason.
///
/// The file has the number of its last holder, and the address of a service behind it.
#[derive(Debug)]
pub(crate) struct InstanceLock {
    file: File,
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
            .write(true)
            .open(&path)
            .with_context(|| format!("{} cannot be opened", path.display()))?;
        // [`running_address`] holds the lock for an instant.
        let locked = file.try_lock().or_else(|_| {
            thread::sleep(Duration::from_millis(50));
            file.try_lock()
        });
        match locked {
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
        // In place, so that a reader finds a number at any moment. A file that cannot be written
        // costs an error text its number.
        let number = process::id().to_string();
        let _ = file
            .write_all(number.as_bytes())
            .and_then(|()| file.set_len(number.len().try_into().unwrap_or(0)));
        Ok(Self { file })
    }

    /// Writes the address at which a person reaches the service behind the number, once. A file
    /// that cannot be written costs commands the address.
    pub(crate) fn name_address(&mut self, origin: &str) {
        let _ = self.file.write_all(format!(" {origin}").as_bytes());
    }
}

/// The address of the service that runs on this folder. The address that a killed service left
/// behind does not count, because the lock ended with its process.
pub(crate) fn running_address(folder: &Path) -> Option<String> {
    let path = folder.join(FILE);
    let locked = File::open(&path).ok()?.try_lock_shared();
    let runs = matches!(locked, Err(TryLockError::WouldBlock));
    let text = fs::read_to_string(path).ok().filter(|_| runs)?;
    Some(text.split_once(' ')?.1.to_owned())
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
    fn the_address_is_that_of_a_running_service_and_of_no_killed_one() {
        let folder = tempfile::tempdir().unwrap();
        let address = || running_address(folder.path());
        assert_eq!(address(), None);
        let mut service = InstanceLock::take(folder.path()).unwrap();
        assert_eq!(address(), None, "it has not started yet");
        service.name_address("http://127.0.0.1:18301");
        assert_eq!(address().as_deref(), Some("http://127.0.0.1:18301"));
        let error = InstanceLock::take(folder.path()).unwrap_err().to_string();
        let holder = format!("(process {})", process::id());
        assert!(error.contains(&holder), "{error}");
        drop(service);
        assert_eq!(address(), None, "what it wrote is still there");
        let seeding = InstanceLock::take(folder.path()).unwrap();
        assert_eq!(address(), None, "what holds the folder is no service");
        drop(seeding);
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
