//! The folder of the databases and the minted token: its permissions and its disk.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    process,
};

use anyhow::Context;
use slugline_domain::ports::{DiskTrouble, DiskWatch};
use slugline_storage::DatabaseUrl;

use crate::settings::{AccessLog, Settings};

/// Makes sure the folder exists and is writable. A new one is readable by its owner only: it
/// holds every link, and keys to visitors' identities.
///
/// Returns the folder and its parents that this call created, the innermost first.
pub(crate) fn prepare(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let fix = || {
        format!(
            "SLUGLINE_DATA_DIR is {:?}, which cannot be written{}; name another folder or mend its rights",
            folder.display().to_string(),
            accounts(folder).unwrap_or_default()
        )
    };
    let made = create(folder).with_context(fix)?;
    let probe = folder.join(format!(".slugline-probe-{}", process::id()));
    // A process that was killed may have left one.
    match fs::remove_file(&probe) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error).with_context(fix)?,
        Ok(()) | Err(_) => {}
    }
    fs::File::create_new(&probe).with_context(fix)?;
    fs::remove_file(&probe).with_context(fix)?;
    Ok(made)
}

/// The account that owns a folder, or the nearest one above that is there, and the account that
/// this process runs as, if they differ.
#[cfg(unix)]
fn accounts(folder: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;

    let there = folder
        .ancestors()
        .find_map(|path| fs::metadata(path).ok())?;
    let (owner, own) = (there.uid(), rustix::process::geteuid().as_raw());
    (owner != own).then(|| format!(" (user {owner} owns it, and slugline runs as user {own})"))
}

#[cfg(not(unix))]
fn accounts(_: &Path) -> Option<String> {
    None
}

/// Removes the data folder again, with everything in it, if this start made it.
///
/// Only the start that holds the folder's lock creates this, and drops it before the lock: of
/// two concurrent starts, neither can remove the other's folder.
#[derive(Debug)]
pub(crate) struct NewFolder {
    made: Vec<PathBuf>,
}

impl NewFolder {
    /// Takes the folders that [`prepare`] has made.
    pub(crate) fn new(made: Vec<PathBuf>) -> Self {
        Self { made }
    }

    /// Keeps the folder.
    pub(crate) fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        let mut made = self.made.iter();
        // The error of the start matters more than an error here.
        if let Some(folder) = made.next() {
            let _ = fs::remove_dir_all(folder);
        }
        for parent in made {
            let _ = fs::remove_dir(parent);
        }
    }
}

/// Creates the folder and its parents, and returns those that were missing, the innermost
/// first; none if another process created the folder meanwhile.
fn create(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut made = Vec::new();
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    for path in missing.into_iter().rev() {
        match create_one(path) {
            Ok(()) => made.insert(0, path.to_owned()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => made.clear(),
            Err(error) => return Err(error),
        }
    }
    Ok(made)
}

#[cfg(unix)]
fn create_one(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    fs::DirBuilder::new().mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_one(folder: &Path) -> std::io::Result<()> {
    fs::create_dir(folder)
}

/// Makes every file that this process creates readable by its owner only: databases, their
/// logs, and exports hold links and stored passwords. SQLite creates files by itself, so this
/// sets the process's umask once for all files.
pub(crate) fn keep_new_files_private() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

/// Logs the existing files that every user of the machine can read. It ignores the permissions
/// of the file's group: an operator who lets a group read means it.
pub(crate) fn warn_of_readers(settings: &Settings) {
    for path in kept_paths(settings) {
        if is_open_to_everybody(&path) {
            let mode = if path.is_dir() { "700" } else { "600" };
            tracing::warn!(
                "every user of this machine can read {}; to stop that, run: chmod {mode} {0:?}",
                path.display().to_string()
            );
        }
    }
}

/// The data folder, and databases outside it.
fn kept_paths(settings: &Settings) -> Vec<PathBuf> {
    let folder = &settings.data_dir;
    let links = match &settings.links {
        DatabaseUrl::File(file) => Some(file),
        DatabaseUrl::Postgres(_) => None,
    };
    let visits = match &settings.access_log {
        AccessLog::File(file) => Some(file),
        AccessLog::ClickHouse(_) => None,
    };
    let databases = links.into_iter().chain(visits);
    let elsewhere = databases.filter(|file| !file.starts_with(folder));
    [folder].into_iter().chain(elsewhere).cloned().collect()
}

#[cfg(unix)]
fn is_open_to_everybody(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o007 != 0)
}

#[cfg(not(unix))]
fn is_open_to_everybody(_: &Path) -> bool {
    false
}

/// Below this the operator should check the disk: visits of some hours, or a backup, need more.
#[cfg(unix)]
const FEW_BYTES: u64 = 64 << 20;

/// Reads the free space of the disk that holds a folder.
#[derive(Debug)]
pub(crate) struct FolderDisk {
    pub(crate) folder: PathBuf,
}

impl DiskWatch for FolderDisk {
    #[cfg(unix)]
    fn trouble(&self) -> Option<DiskTrouble> {
        use rustix::fs::{StatVfsMountFlags, statvfs};

        let Ok(disk) = statvfs(&self.folder) else {
            return Some(DiskTrouble::Unknown);
        };
        // `f_bavail`, because `f_bfree` includes the blocks reserved for root.
        let free_bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
        if disk.f_flag.contains(StatVfsMountFlags::RDONLY) {
            Some(DiskTrouble::ReadOnly)
        } else if free_bytes < FEW_BYTES {
            Some(DiskTrouble::NearlyFull { free_bytes })
        } else {
            None
        }
    }

    /// The standard library does not tell the space of a disk.
    #[cfg(not(unix))]
    fn trouble(&self) -> Option<DiskTrouble> {
        (!self.folder.is_dir()).then_some(DiskTrouble::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_with_its_parents_and_kept_private() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        prepare(&folder).unwrap();
        prepare(&folder).expect("an existing folder is fine");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(
                fs::metadata(&folder).unwrap().permissions().mode() & 0o777,
                0o700
            );
        }
        assert_eq!(
            fs::read_dir(&folder).unwrap().count(),
            0,
            "nothing is left behind"
        );
    }

    #[test]
    fn what_a_failed_start_made_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("a/b");
        let prepared = || NewFolder::new(prepare(&folder).unwrap());
        let new = prepared();
        fs::write(folder.join("links.db"), "").unwrap();
        drop(new);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
        prepared().keep();
        drop(prepared());
        assert!(folder.exists(), "it was there before");
    }

    #[test]
    #[cfg(unix)]
    fn the_folder_of_another_account_is_told_with_both() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        assert_eq!(accounts(&below), None);
        let own = rustix::process::geteuid().as_raw();
        let other = rustix::fs::Uid::from_raw(65_532);
        // Root alone may give the folder away. Others may not write into the folder of root.
        let (of_other, owner) = match rustix::fs::chown(folder.path(), Some(other), None) {
            Ok(()) => (&*below, 65_532),
            Err(_) => (Path::new("/none"), 0),
        };
        let told = format!(" (user {owner} owns it, and slugline runs as user {own})");
        assert_eq!(accounts(of_other), Some(told));
    }

    #[test]
    fn an_unusable_folder_names_the_setting() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = prepare(&file.path().join("data")).unwrap_err();
        assert!(
            format!("{error:#}").starts_with("SLUGLINE_DATA_DIR is "),
            "{error:#}"
        );
    }

    fn trouble_of(folder: impl Into<PathBuf>) -> Option<DiskTrouble> {
        let folder = folder.into();
        FolderDisk { folder }.trouble()
    }

    #[test]
    fn a_folder_that_is_not_there_is_trouble() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");
        assert_eq!(trouble_of(gone), Some(DiskTrouble::Unknown));
    }

    #[test]
    #[cfg(target_os = "linux")] // whose `/proc` is a disk without room
    fn a_disk_without_room_is_trouble() {
        let full = DiskTrouble::NearlyFull { free_bytes: 0 };
        assert_eq!(trouble_of("/proc"), Some(full));
        assert_eq!(
            full.to_string(),
            "the disk of the data folder has 0 MiB left"
        );
    }
}
