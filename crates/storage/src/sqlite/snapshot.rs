//! A copy of an SQLite file while others write to it.

use std::{
    ops::ControlFlow,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use rusqlite::{
    Connection,
    backup::{Backup, StepResult},
};
use thiserror::Error;

use super::SqliteFile;

/// Pages copied at once: 1 MiB. The copy calls the caller after each step.
const PAGES: i32 = 256;

/// The time between two attempts while another process holds a lock.
const PAUSE: Duration = Duration::from_millis(50);

/// The most attempts for one step.
const ATTEMPTS: usize = 100;

/// An SQLite file as it is at one moment. Other connections may write; until this is dropped,
/// their write-ahead log grows.
///
/// It knows no tables, so it copies any SQLite file in WAL mode.
#[derive(Debug)]
pub struct FileSnapshot {
    connection: Connection,
    path: PathBuf,
}

/// The progress of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Pages that are copied.
    pub pages: u64,
    /// Pages of the whole file.
    pub of: u64,
}

/// A file was not copied.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// The file cannot be read, or its copy cannot be written.
    #[error("{} cannot be copied", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The message of SQLite.
        source: rusqlite::Error,
    },
    /// The caller stopped it.
    #[error("the copy of {} was stopped", path.display())]
    Stopped {
        /// The file.
        path: PathBuf,
    },
}

impl FileSnapshot {
    /// Keeps the file as it is now. The file must exist.
    ///
    /// # Errors
    /// The file cannot be read, or is no database.
    pub fn take(path: &Path) -> Result<Self, SnapshotError> {
        let taken = || {
            let connection = SqliteFile::new(path).open_reader()?;
            // A transaction sees the file as it is at its first read, and the copy runs in it.
            // Without it, SQLite would start the copy again after each change by another
            // process.
            connection.execute_batch("BEGIN")?;
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
            Ok(connection)
        };
        let path = path.to_owned();
        match taken() {
            Ok(connection) => Ok(Self { connection, path }),
            Err(source) => Err(SnapshotError::Sqlite { path, source }),
        }
    }

    /// Copies the file to a path at which there is none yet. This calls `watch` after each
    /// step; `watch` may stop the copy. The copy is complete but not yet synced to the disk;
    /// after an error, part of it may be there.
    ///
    /// # Errors
    /// The file cannot be read, the copy cannot be written, or `watch` stopped
    /// it.
    pub fn copy_to(
        &self,
        to: &Path,
        mut watch: impl FnMut(Copied) -> ControlFlow<()>,
    ) -> Result<(), SnapshotError> {
        let path = self.path.clone();
        match self.copy(to, &mut watch) {
            Ok(true) => Ok(()),
            Ok(false) => Err(SnapshotError::Stopped { path }),
            Err(source) => Err(SnapshotError::Sqlite { path, source }),
        }
    }

    /// Returns whether the copy is complete.
    fn copy(
        &self,
        to: &Path,
        watch: &mut dyn FnMut(Copied) -> ControlFlow<()>,
    ) -> Result<bool, rusqlite::Error> {
        let mut copy = Connection::open(to)?;
        // A copy that is cut short is thrown away, so it needs no journal.
        copy.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
        let backup = Backup::new(&self.connection, &mut copy)?;
        let mut attempts = 0;
        loop {
            let step = backup.step(PAGES)?;
            if step == StepResult::Done {
                break;
            }
            if step == StepResult::More {
                attempts = 0;
            } else if attempts < ATTEMPTS {
                attempts += 1;
                thread::sleep(PAUSE);
            } else {
                let busy = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
                return Err(rusqlite::Error::SqliteFailure(busy, None));
            }
            let progress = backup.progress();
            let number = |pages: i32| u64::try_from(pages).unwrap_or_default();
            let copied = Copied {
                pages: number(progress.pagecount - progress.remaining),
                of: number(progress.pagecount),
            };
            if watch(copied).is_break() {
                return Ok(false);
            }
        }
        drop(backup);
        copy.close().map_err(|(_, error)| error)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::assert_matches;

    use super::*;

    fn numbers(connection: &Connection) -> u32 {
        connection
            .query_row("SELECT count(*) FROM number", [], |row| row.get(0))
            .unwrap()
    }

    /// A file of some megabytes in WAL mode, and a connection that writes.
    fn file(path: &Path) -> Connection {
        let writer = SqliteFile::new(path).open_writer().unwrap();
        writer
            .execute_batch(
                "CREATE TABLE number (value BLOB);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
                 INSERT INTO number SELECT randomblob(1000) FROM n",
            )
            .unwrap();
        writer
    }

    #[test]
    fn a_copy_is_the_file_as_it_was_when_the_snapshot_was_taken() {
        let folder = tempfile::tempdir().unwrap();
        let (path, to) = (folder.path().join("a.db"), folder.path().join("copy"));
        let writer = file(&path);
        let snapshot = FileSnapshot::take(&path).unwrap();
        let add = || writer.execute("INSERT INTO number VALUES (1)", []).unwrap();
        add();
        let mut steps = 0;
        snapshot
            .copy_to(&to, |copied| {
                assert!(copied.pages <= copied.of, "{copied:?}");
                steps += 1;
                // A continuous writer does not restart the copy.
                add();
                assert!(steps < 100);
                ControlFlow::Continue(())
            })
            .unwrap();
        assert!(steps > 1);
        assert_eq!(numbers(&Connection::open(&to).unwrap()), 3000);
        assert!(numbers(&writer) > 3001);
    }

    #[test]
    fn a_copy_can_be_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let (path, to) = (folder.path().join("a.db"), folder.path().join("copy"));
        let _writer = file(&path);
        let stopped = FileSnapshot::take(&path)
            .unwrap()
            .copy_to(&to, |_| ControlFlow::Break(()));
        assert_matches!(stopped, Err(SnapshotError::Stopped { .. }));
    }

    #[test]
    fn what_is_no_database_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "not a database at all, only a few words").unwrap();
        let error = FileSnapshot::take(&path).unwrap_err();
        assert!(error.to_string().contains("notes.txt"), "{error}");
    }
}
