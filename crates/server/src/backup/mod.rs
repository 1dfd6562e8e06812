//! Backups: one file with the links, the access log and, on request, the site token; and
//! restoring it.
//!
//! | module | holds |
//! |---|---|
//! | `archive` | the format of the file |
//! | `parts` | the parts of a backup, and their paths in an instance |
//! | `create` | creation while the service runs |
//! | `verify` | checks that its databases are sound, of a known version, and all our own |
//! | `restore` | restoring into the data folder, completely or not at all; the tokens in force then |
//! | `journal` | the remaining moves of an interrupted restore |
//! | `schedule` | scheduled backups and their rotation |

mod archive;
pub(crate) mod create;
pub(crate) mod journal;
mod parts;
pub(crate) mod restore;
pub(crate) mod schedule;
pub(crate) mod verify;

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// The same path with `suffix` added to its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// A hidden name beside the file, so that an operator does not take an unfinished file for a backup.
fn draft_of(file: &Path, suffix: &str) -> PathBuf {
    let name = file.file_name().unwrap_or_default();
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    beside(&file.with_file_name(hidden), suffix)
}

/// The path beside a file under which it is written until it is complete.
pub(crate) fn partial(path: &Path) -> PathBuf {
    beside(path, ".partial")
}

/// The parent folder of a file.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Makes new names and removed ones in a folder durable.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Other systems cannot sync a folder.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes a file if it exists.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The database file and the files that SQLite keeps beside it, by suffix.
const SQLITE_FILES: [&str; 3] = ["-wal", "-shm", ""];

/// An unfinished file. Dropping this removes it and the files that SQLite put beside it, unless
/// [`Draft::keep`] was called.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) path: PathBuf,
}

impl Draft {
    /// Also removes the remains of an attempt that was killed.
    pub(crate) fn at(path: PathBuf) -> io::Result<Self> {
        let draft = Self { path };
        draft.remove()?;
        Ok(draft)
    }

    /// Puts the complete file on the disk and gives it its name.
    ///
    /// # Errors
    /// It cannot, or a file has the name meanwhile and `replace` is false.
    pub(crate) fn publish(self, file: File, to: &Path, replace: bool) -> anyhow::Result<()> {
        file.sync_all()?;
        drop(file);
        refuse_to_replace(to, replace)?;
        fs::rename(&self.path, to)?;
        self.keep();
        Ok(sync_folder(folder_of(to))?)
    }

    /// Keeps the file; it may have another name by now.
    pub(crate) fn keep(mut self) {
        self.path.clear();
    }

    fn remove(&self) -> io::Result<()> {
        SQLITE_FILES
            .iter()
            .try_for_each(|suffix| remove(&beside(&self.path, suffix)))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            // An earlier error says more.
            let _ = self.remove();
        }
    }
}

/// Refuses to replace the file that a command writes, unless it was told to.
///
/// # Errors
/// The file exists.
pub(crate) fn refuse_to_replace(to: &Path, replace: bool) -> anyhow::Result<()> {
    if !replace && to.exists() {
        anyhow::bail!(
            "{} is there already; choose another name, or replace it with --replace",
            to.display()
        );
    }
    Ok(())
}

/// Creates a file that only its owner can read.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
