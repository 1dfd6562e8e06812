//! A new file in the place of a damaged one. Until it is complete and in its
//! place, nothing has happened to the old one.

use std::{
    error::Error as StdError,
    fs, io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, ErrorCode, ffi};
use slugline_domain::UnixSeconds;

use super::{
    error::{OpenError, chain},
    lock, loss_table,
    open::{FileKind, open_file, open_to_examine},
    wipe::wipe_salts,
};
use crate::losses::Loss;

/// The database and what SQLite keeps beside it.
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
    /// Why the old file may still have salts, with which addresses can be told
    /// from hashes; `None` when they were wiped.
    pub salts_left: Option<String>,
}

/// Replaces a file by one that `copy` fills with what it can read of the old
/// one. That one, and SQLite's files beside it, stay under a name that ends with
/// `.damaged-` and the moment, without their salts.
///
/// # Errors
/// Somebody is writing to the file, it was written by a newer version or is
/// something else, or the new one cannot be written. Everything is then as it
/// was.
pub fn replace(
    kind: &FileKind,
    path: &Path,
    now: UnixSeconds,
    copy: impl FnOnce(&Connection, &mut Connection, &mut Rebuilt) -> Result<(), rusqlite::Error>,
) -> Result<Rebuilt, OpenError> {
    let _alone = lock::take_alone(path)?;
    let mut rebuilt = Rebuilt {
        old: lock::beside(path, &format!(".damaged-{}", now.get())),
        ..Rebuilt::default()
    };
    let old = match open_to_examine(kind, path) {
        Ok(old) => Some(old),
        Err(error) if is_damage(&error) => {
            rebuilt.lost.push(format!("everything: {}", chain(&error)));
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
    let draft = Draft::begin(lock::beside(path, ".rebuilt"))?;
    let mut new = open_file(kind, &draft.path)?;
    match old {
        Some(old) => copy(&old, &mut new, rebuilt)?,
        None => loss_table::save(&new, &[Loss::unknown()])?,
    }
    // Everything into the file itself: only that takes the old one's place.
    new.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    drop(new);
    exchange(path, &draft.path, &rebuilt.old)?;
    // The salts of running periods are in the new file.
    rebuilt.salts_left = wipe(&rebuilt.old).err().map(|error| error.to_string());
    Ok(())
}

/// Wipes the salts from a file that was put aside.
fn wipe(old: &Path) -> io::Result<()> {
    for part in PARTS {
        let part = lock::beside(old, part);
        if part.try_exists()? {
            wipe_salts(&part)?;
        }
    }
    Ok(())
}

/// True if this says that the file is damaged, and not that it cannot be
/// reached: what cannot be reached now is not lost.
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

/// A file that is not in its place yet, and goes away if it never gets there.
struct Draft {
    path: PathBuf,
}

impl Draft {
    /// Also takes away what an attempt that was killed has left.
    fn begin(path: PathBuf) -> io::Result<Self> {
        remove_parts(&path)?;
        Ok(Self { path })
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Whatever stays is taken away by the next attempt.
        let _ = remove_parts(&self.path);
    }
}

/// Gives the old files other names, and the new one theirs. Under one name or
/// the other, what was there can be found at every moment.
fn exchange(path: &Path, new: &Path, old: &Path) -> io::Result<()> {
    for part in PARTS {
        let kept = lock::beside(old, part);
        if kept.try_exists()? {
            let message = format!("{} exists already", kept.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
    }
    let exchanged = keep(path, old).and_then(|()| {
        // A write-ahead log that belongs to another file would be its end.
        for part in &PARTS[1..] {
            remove(&lock::beside(path, part))?;
        }
        fs::rename(new, path)
    });
    if exchanged.is_err() {
        put_back(path, old);
    }
    exchanged
}

/// Has the files under another name, too.
fn keep(path: &Path, old: &Path) -> io::Result<()> {
    for part in PARTS {
        let (from, to) = (lock::beside(path, part), lock::beside(old, part));
        if from.try_exists()? && fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

/// The files have no other name any more. What cannot be done is left: nothing
/// is lost, it is only under two names, or under the other one.
fn put_back(path: &Path, old: &Path) {
    for part in PARTS {
        let (from, to) = (lock::beside(path, part), lock::beside(old, part));
        let _ = match from.try_exists() {
            Ok(true) => remove(&to),
            Ok(false) | Err(_) => fs::rename(&to, &from),
        };
    }
}

fn remove_parts(path: &Path) -> io::Result<()> {
    PARTS
        .iter()
        .try_for_each(|part| remove(&lock::beside(path, part)))
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
        // There is no new file, or a file has the other name already.
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
