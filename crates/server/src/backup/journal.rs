//! The journal of an interrupted restore: the moves it still has to make.
//!
//! A restore replaces several files, and no file system replaces them atomically. So a restore
//! first writes all new files to the disk beside the old ones, and then writes this list.
//! Before the list exists, the old files are unchanged; once it exists, the next process that
//! opens the files makes the moves in the list, and repeats them until all are done.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::{Draft, SQLITE_FILES, beside, create_private, folder_of, remove, sync_folder};
use crate::{
    instance_lock::{FilesAlone, FilesInUse, InstanceLock},
    settings::Settings,
};

const FILE: &str = "restore.pending";

/// A finished file, and the path it moves to. Relative paths start at the data folder, because
/// an operator may mount the folder elsewhere later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) from: PathBuf,
    pub(super) to: PathBuf,
}

/// Keeps restores away while a command uses the files. Before, it finishes an interrupted
/// restore, if there is one.
///
/// # Errors
/// A restore is running, or a file of an interrupted one cannot be moved.
pub(crate) fn use_files(settings: &Settings) -> anyhow::Result<FilesInUse> {
    let folder = &settings.data_dir;
    loop {
        let in_use = FilesInUse::share(folder)?;
        if !folder.join(FILE).exists() {
            return Ok(in_use);
        }
        drop(in_use);
        finish_pending(folder, &InstanceLock::take(folder)?)?;
    }
}

/// Finishes an interrupted restore, if there is one.
///
/// # Errors
/// A command uses the files, or a file cannot be moved.
pub(crate) fn finish_pending(folder: &Path, held: &InstanceLock) -> anyhow::Result<()> {
    if !folder.join(FILE).exists() {
        return Ok(());
    }
    finish(folder, &FilesAlone::take(folder, held)?)
}

/// Like [`finish_pending`], for a caller that already holds the files.
pub(super) fn finish(folder: &Path, _held: &FilesAlone) -> anyhow::Result<()> {
    let journal = folder.join(FILE);
    let text = match fs::read(&journal) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        read => read.with_context(|| format!("{} cannot be read", journal.display()))?,
    };
    let moves =
        parsed(&text).with_context(|| format!("{} is no list of a restore", journal.display()))?;
    for Move { from, to } in &moves {
        let (from, to) = (folder.join(from), folder.join(to));
        exchange(&from, &to).with_context(|| {
            format!(
                "a restore was cut short and cannot be finished: {} cannot take the place of {}; \
                 mend that and start again",
                from.display(),
                to.display()
            )
        })?;
    }
    remove(&journal)?;
    Ok(sync_folder(folder)?)
}

/// Writes the list. After this returns, the restore is certain to complete.
pub(super) fn write(folder: &Path, moves: &[Move]) -> anyhow::Result<()> {
    let text = |path: &Path| -> anyhow::Result<String> {
        let path = match path.strip_prefix(folder) {
            Ok(within) => within.to_owned(),
            Err(_) => std::path::absolute(path)?,
        };
        let text = path
            .to_str()
            .context("the path of a database is not UTF-8")?;
        Ok(text.to_owned())
    };
    let lines: anyhow::Result<Vec<Value>> = moves
        .iter()
        .map(|Move { from, to }| Ok(json!({"from": text(from)?, "to": text(to)?})))
        .collect();
    let lines = lines?;
    let draft = Draft::at(folder.join(format!("{FILE}.partial")))?;
    let mut file = create_private(&draft.path)?;
    file.write_all(Value::from(lines).to_string().as_bytes())?;
    file.sync_all()?;
    fs::rename(&draft.path, folder.join(FILE))?;
    draft.keep();
    if let Err(error) = sync_folder(folder) {
        // The caller removes the new files again, so the list must not name them.
        remove(&folder.join(FILE))?;
        return Err(error.into());
    }
    Ok(())
}

fn parsed(text: &[u8]) -> Option<Vec<Move>> {
    let lines: Value = serde_json::from_slice(text).ok()?;
    let path = |line: &Value, name: &str| Some(PathBuf::from(line.get(name)?.as_str()?));
    lines
        .as_array()?
        .iter()
        .map(|line| {
            Some(Move {
                from: path(line, "from")?,
                to: path(line, "to")?,
            })
        })
        .collect()
}

/// Moves a file to its final path, unless an earlier attempt has moved it.
fn exchange(from: &Path, to: &Path) -> anyhow::Result<()> {
    if !from.try_exists()? {
        if to.try_exists()? {
            return Ok(());
        }
        bail!("both are missing");
    }
    // SQLite would apply the old database's write-ahead log to the new one. So this removes it,
    // durably, before it moves the new database in.
    for suffix in SQLITE_FILES.iter().filter(|suffix| !suffix.is_empty()) {
        remove(&beside(to, suffix))?;
    }
    sync_folder(folder_of(to))?;
    fs::rename(from, to)?;
    Ok(sync_folder(folder_of(to))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates two databases with their write-ahead logs, and their replacements.
    fn prepared(folder: &Path) -> Vec<Move> {
        let moves = ["a", "b"].map(|name| Move {
            from: folder.join(format!("{name}.restoring")),
            to: folder.join(name),
        });
        for Move { from, to } in &moves {
            fs::write(from, "new").unwrap();
            fs::write(to, "old").unwrap();
            fs::write(beside(to, "-wal"), "old").unwrap();
        }
        moves.into()
    }

    #[test]
    fn a_restore_is_finished_from_wherever_it_was_cut_short() {
        // Stops the exchange after each number of steps.
        for done in 0..=4 {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            let moves = prepared(folder);
            write(folder, &moves).unwrap();
            let steps = moves.iter().flat_map(|Move { from, to }| {
                [(beside(to, "-wal"), None), (from.clone(), Some(to.clone()))]
            });
            for (path, to) in steps.take(done) {
                match to {
                    Some(to) => fs::rename(path, to).unwrap(),
                    None => fs::remove_file(path).unwrap(),
                }
            }
            let lock = InstanceLock::take(folder).unwrap();
            finish_pending(folder, &lock).unwrap();
            drop(lock);
            fs::remove_file(folder.join("slugline.lock")).unwrap();
            for name in ["a", "b"] {
                assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), "new");
            }
            assert_eq!(fs::read_dir(folder).unwrap().count(), 2, "{done}");
        }
    }

    #[test]
    fn without_a_list_nothing_happens() {
        let folder = tempfile::tempdir().unwrap();
        prepared(folder.path());
        let lock = InstanceLock::take(folder.path()).unwrap();
        finish_pending(folder.path(), &lock).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "old");
    }

    #[test]
    fn a_list_whose_files_are_gone_is_not_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let moves = prepared(folder.path());
        write(folder.path(), &moves).unwrap();
        fs::remove_file(&moves[1].from).unwrap();
        fs::remove_file(&moves[1].to).unwrap();
        let lock = InstanceLock::take(folder.path()).unwrap();
        let error = finish_pending(folder.path(), &lock).unwrap_err();
        assert!(
            format!("{error:#}").contains("both are missing"),
            "{error:#}"
        );
        assert!(folder.path().join(FILE).exists());
    }
}
