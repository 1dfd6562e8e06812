//! Replaces a damaged file by a new one. The old file stays unchanged until the new one is
//! complete.

use std::{
    error::Error as StdError,
    fs, io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, ErrorCode, ffi};
use slugline_domain::{UnixSeconds, with_causes};

use super::{
    error::OpenError,
    lock,
    open::{FileKind, open_file, open_to_examine},
    wipe::wipe_salts,
};
use crate::{
    journal::lock::beside,
    losses::{Loss, table},
};

/// The suffixes of a database and of SQLite's files beside it.
const PARTS: [&str; 3] = ["", "-wal", "-shm"];

/// The rows that a rebuild saved, and those that were lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Rows in the new file.
    pub rows: u64,
    /// The path of the old file.
    pub old: PathBuf,
    /// The losses, one line each; empty when everything was readable.
    pub lost: Vec<String>,
    /// The reason why the old file may still have salts, from which addresses could be computed;
    /// `None` if they were wiped.
    pub salts_left: Option<String>,
}

/// Replaces a file by a new one, which `copy` fills with the readable rows of the old one. The old
/// file, and SQLite's files beside it, stay under names that end with `.damaged-` and the moment,
/// without their salts.
///
/// # Errors
/// Another process is writing to the file, a newer version or another program wrote the file, or
/// the new one cannot be written. Nothing has changed then.
pub fn replace(
    kind: &FileKind,
    path: &Path,
    now: UnixSeconds,
    copy: impl FnOnce(&Connection, &mut Connection, &mut Rebuilt) -> Result<(), rusqlite::Error>,
) -> Result<Rebuilt, OpenError> {
    let _alone = lock::take_alone(path)?;
    let mut rebuilt = Rebuilt {
        old: beside(path, &format!(".damaged-{}", now.get())),
        ..Rebuilt::default()
    };
    let old = match open_to_examine(kind, path) {
        Ok(old) => Some(old),
        Err(error) if is_damage(&error) => {
            rebuilt
                .lost
                .push(format!("everything: {}", with_causes(&error)));
            None
        }
        Err(error) => return Err(error),
    };
    write(kind, path, old, copy, &mut rebuilt).map_err(|source| OpenError::Rebuild {
        path: path.to_owned(),
        source,
    })?;
    Ok(rebuilt)
}

fn write(
    kind: &FileKind,
    path: &Path,
    old: Option<Connection>,
    copy: impl FnOnce(&Connection, &mut Connection, &mut Rebuilt) -> Result<(), rusqlite::Error>,
    rebuilt: &mut Rebuilt,
) -> Result<(), Box<dyn StdError + Send + Sync>> {
    let draft = Draft::begin(beside(path, ".rebuilt"))?;
    let mut new = open_file(kind, &draft.path)?;
    match old {
        Some(old) => copy(&old, &mut new, rebuilt)?,
        None => table::save(&new, &[Loss::unknown()])?,
    }
    // Moves everything into the file itself, because only that file replaces the old one.
    new.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    drop(new);
    exchange(path, &draft.path, &rebuilt.old)?;
    // The salts of running periods are in the new file.
    rebuilt.salts_left = wipe(&rebuilt.old).err().map(|error| error.to_string());
    Ok(())
}

/// Wipes the salts from a file that was renamed.
fn wipe(old: &Path) -> io::Result<()> {
    for part in PARTS {
        let part = beside(old, part);
        if part.try_exists()? {
            wipe_salts(&part)?;
        }
    }
    Ok(())
}

/// Returns `true` if the error means that the file is damaged. A file that cannot be reached at the
/// moment is not lost.
fn is_damage(error: &OpenError) -> bool {
    let OpenError::Sqlite { source, .. } = error else {
        return false;
    };
    source.sqlite_error().is_some_and(|error| {
        matches!(
            error.code,
            ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt
        ) || matches!(
            error.extended_code,
            ffi::SQLITE_IOERR_READ | ffi::SQLITE_IOERR_SHORT_READ
        )
    })
}

/// A file under a temporary name. Dropping it removes the file if it was not renamed.
struct Draft {
    path: PathBuf,
}

impl Draft {
    /// Also removes the files that a killed attempt left.
    fn begin(path: PathBuf) -> io::Result<Self> {
        remove_parts(&path)?;
        Ok(Self { path })
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // The next attempt removes any remaining file.
        let _ = remove_parts(&self.path);
    }
}

/// Renames the old files, and gives the new one their name. At every moment the old content exists
/// under one of the two names.
fn exchange(path: &Path, new: &Path, old: &Path) -> io::Result<()> {
    for part in PARTS {
        let kept = beside(old, part);
        if kept.try_exists()? {
            let message = format!("{} exists already", kept.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
    }
    let exchanged = keep(path, old).and_then(|()| {
        // A write-ahead log of another file would destroy the new one.
        for part in &PARTS[1..] {
            remove(&beside(path, part))?;
        }
        fs::rename(new, path)
    });
    if exchanged.is_err() {
        put_back(path, old);
    }
    exchanged
}

/// Gives the files a second name.
fn keep(path: &Path, old: &Path) -> io::Result<()> {
    for part in PARTS {
        let (from, to) = (beside(path, part), beside(old, part));
        if from.try_exists()? && fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

/// Removes the second names of the files. A failure loses nothing: a file then has two names, or
/// only the second one.
fn put_back(path: &Path, old: &Path) {
    for part in PARTS {
        let (from, to) = (beside(path, part), beside(old, part));
        let _ = match from.try_exists() {
            Ok(true) => remove(&to),
            Ok(false) | Err(_) => fs::rename(&to, &from),
        };
    }
}

fn remove_parts(path: &Path) -> io::Result<()> {
    PARTS
        .iter()
        .try_for_each(|part| remove(&beside(path, part)))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        entries
            .map(|entry| {
                let name = entry.file_name().into_string().unwrap();
                (name, fs::read(entry.path()).unwrap())
            })
            .collect()
    }

    #[test]
    fn the_old_files_are_kept_under_the_other_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["a", "a-wal", "new"] {
            fs::write(path(name), name).unwrap();
        }
        exchange(&path("a"), &path("new"), &path("old")).unwrap();
        let expected = [("a", "new"), ("old", "a"), ("old-wal", "a-wal")];
        let expected = expected.map(|(name, content)| (name.to_owned(), content.into()));
        assert_eq!(files(folder.path()), BTreeMap::from(expected));
    }

    #[test]
    fn an_exchange_that_fails_leaves_everything_as_it_was() {
        // The new file is missing, or another file already has the second name.
        for taken in [None, Some("old"), Some("old-wal")] {
            let folder = tempfile::tempdir().unwrap();
            let path = |name: &str| folder.path().join(name);
            for name in ["a", "a-wal", "a-shm"].into_iter().chain(taken) {
                fs::write(path(name), name).unwrap();
            }
            let before = files(folder.path());
            exchange(&path("a"), &path("new"), &path("old")).unwrap_err();
            assert_eq!(files(folder.path()), before, "{taken:?}");
        }
    }
}
