//! Backups: one file with the links, the access log and, if asked for, the site
//! token; and the way back.
//!
//! | module | holds |
//! |---|---|
//! | `archive` | the format of the file |
//! | `parts` | what a backup holds, and where an instance keeps it |
//! | `create` | making one while the service runs |
//! | `examine` | whether the databases in one are sound and of a known version |
//! | `verify` | a look at a backup that changes nothing |
//! | `restore` | a backup into the data folder, wholly or not at all |
//! | `journal` | what a restore that was cut short has left to do |
//! | `schedule` | backups by setting, and their rotation |
//! | `progress` | how far it is, on a terminal |

mod archive;
pub(crate) mod create;
mod examine;
pub(crate) mod journal;
mod parts;
mod progress;
pub(crate) mod restore;
pub(crate) mod schedule;
pub(crate) mod verify;

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// The same path with so much added to its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Makes new names and removed ones in a folder durable.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Other systems have no such thing.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes a file that may not be there.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The database in a file and what SQLite keeps beside it.
const SQLITE_FILES: [&str; 3] = ["-wal", "-shm", ""];

/// A file in the making. Unless it is kept, it goes away with this, and with it
/// what SQLite put beside it.
#[derive(Debug)]
struct Draft {
    path: PathBuf,
}

impl Draft {
    /// Also removes what an attempt that was killed has left.
    fn at(path: PathBuf) -> io::Result<Self> {
        let draft = Self { path };
        draft.remove()?;
        Ok(draft)
    }

    /// The file is there to stay, or under another name.
    fn keep(mut self) {
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
            // Whatever went wrong before says more.
            let _ = self.remove();
        }
    }
}

/// Creates a file that only its owner can read.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
