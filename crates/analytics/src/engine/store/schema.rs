//! Tables, versions, and opening the file.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, TransactionBehavior, config::DbConfig};

use super::error::OpenError;

/// The purpose of a file, and its tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileKind {
    /// Marks the file as ours.
    pub(crate) application_id: i32,
    /// The first version that was released.
    pub(crate) first: i32,
    /// What makes each version out of the one before, the first one out of
    /// nothing. A step that was released never changes.
    pub(crate) versions: &'static [&'static str],
}

impl FileKind {
    /// The newest version.
    fn version(&self) -> i32 {
        self.first - 1 + i32::try_from(self.versions.len()).expect("there are few versions")
    }
}

/// An access log: "SLUG" in ASCII.
pub(crate) const ACCESS_LOG: FileKind = FileKind {
    application_id: 0x534c_5547,
    first: 6,
    versions: &[include_str!("tables.sql")],
};

/// The time a statement waits for a lock of another connection. Longer waits
/// are the business of the writer's own retries.
pub(crate) const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// Settings of the writing connection.
///
/// - `FULL` makes each commit survive a power loss; there is about one a second.
/// - Deleted content is overwritten, because an ended salt must be gone. `FAST`
///   leaves out pages that become free as a whole: salts never fill one.
/// - The size limit gives space back after a long question kept the write-ahead
///   log from being reused.
/// - What does not fit a cache, such as a sort, stays in memory: the file system
///   may be read-only outside of the data folder.
const WRITER_SETTINGS: &str = "
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = FAST;
PRAGMA journal_size_limit = 16777216;
PRAGMA temp_store = MEMORY;
";

/// Opens an access log for writing and creates what is missing.
pub(crate) fn open_writer(path: &Path) -> Result<Connection, OpenError> {
    open_file(&ACCESS_LOG, path)
}

/// Opens a file for writing and creates what is missing.
pub(crate) fn open_file(kind: &FileKind, path: &Path) -> Result<Connection, OpenError> {
    let failed = |source| OpenError::Sqlite {
        path: path.to_owned(),
        source,
    };
    let mut db = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(failed)?;
    guard(&db).map_err(failed)?;
    db.busy_timeout(LOCK_PATIENCE).map_err(failed)?;
    if is_blank(&db).map_err(failed)? {
        // Must come before the first page is written. Retention will give
        // space back a bit at a time.
        db.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")
            .map_err(failed)?;
    } else {
        check(kind, &db, path)?;
    }
    db.execute_batch(WRITER_SETTINGS).map_err(failed)?;
    upgrade(kind, &mut db).map_err(failed)?;
    check(kind, &db, path)?;
    Ok(db)
}

/// Opens a file to look at it, whatever state it is in.
pub(crate) fn open_to_examine(kind: &FileKind, path: &Path) -> Result<Connection, OpenError> {
    let opened = || {
        let db = open_reader(path)?;
        // Finds a malformed page when it is read, before anything follows its pointers.
        db.pragma_update(None, "cell_size_check", true)?;
        Ok(db)
    };
    let db = opened().map_err(|source| OpenError::Sqlite {
        path: path.to_owned(),
        source,
    })?;
    check(kind, &db, path)?;
    Ok(db)
}

/// The statements that made the tables of this file, by its version. Nothing is executed.
pub(crate) fn making_of(
    kind: &FileKind,
    path: &Path,
) -> Result<&'static [&'static str], OpenError> {
    let db = open_to_examine(kind, path)?;
    let steps = steps_of(kind, &db).map_err(|source| OpenError::Sqlite {
        path: path.to_owned(),
        source,
    })?;
    Ok(kind.versions.get(..steps).unwrap_or_default())
}

/// Opens the file for questions; the writer has created it.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, rusqlite::Error> {
    let db = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    guard(&db)?;
    db.busy_timeout(LOCK_PATIENCE)?;
    // As for the writer.
    db.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(db)
}

/// Moves everything into the database proper, where deleted content is
/// overwritten, and cuts the write-ahead log to nothing. `false` when a
/// question still reads from it after so much time: visits do not wait for that
/// for long, since a backup may read for minutes.
pub(crate) fn empty_write_ahead_log(
    db: &Connection,
    patience: Duration,
) -> Result<bool, rusqlite::Error> {
    db.busy_timeout(patience)?;
    let busy = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
        row.get::<_, bool>(0)
    });
    db.busy_timeout(LOCK_PATIENCE)?;
    busy.map(|busy| !busy)
}

/// Keeps views and defaults of the file's schema from calling functions with side effects, and
/// statements from writing past the tables.
fn guard(db: &Connection) -> Result<(), rusqlite::Error> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    Ok(())
}

/// The steps that a file has.
fn steps_of(kind: &FileKind, db: &Connection) -> Result<usize, rusqlite::Error> {
    let found = db.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0))?;
    Ok(usize::try_from(found - (kind.first - 1)).unwrap_or(0))
}

fn is_blank(db: &Connection) -> Result<bool, rusqlite::Error> {
    db.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| {
        row.get(0)
    })
}

/// Takes the steps that are missing, unless another process has just done so.
fn upgrade(kind: &FileKind, db: &mut Connection) -> Result<(), rusqlite::Error> {
    if steps_of(kind, db)? >= kind.versions.len() {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for step in kind.versions.iter().skip(steps_of(kind, &tx)?) {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "application_id", kind.application_id)?;
    tx.pragma_update(None, "user_version", kind.version())?;
    tx.commit()
}

fn check(kind: &FileKind, db: &Connection, path: &Path) -> Result<(), OpenError> {
    let number = |name| {
        db.pragma_query_value(None, name, |row| row.get::<_, i32>(0))
            .map_err(|source| OpenError::Sqlite {
                path: path.to_owned(),
                source,
            })
    };
    if number("application_id")? != kind.application_id {
        return Err(OpenError::Foreign {
            path: path.to_owned(),
        });
    }
    let found = number("user_version")?;
    if found < kind.first {
        return Err(OpenError::Older {
            path: path.to_owned(),
            found,
        });
    }
    if found > kind.version() {
        return Err(OpenError::Newer {
            path: path.to_owned(),
            found,
            known: kind.version(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pragma(db: &Connection, name: &str) -> String {
        db.query_row(&format!("PRAGMA {name}"), [], |row| {
            row.get::<_, rusqlite::types::Value>(0)
        })
        .map(|value| format!("{value:?}"))
        .unwrap()
    }

    #[test]
    fn a_new_file_is_durable_and_can_give_space_back() {
        let folder = tempfile::tempdir().unwrap();
        let db = open_writer(&folder.path().join("a.db")).unwrap();
        assert_eq!(pragma(&db, "auto_vacuum"), "Integer(2)");
        assert_eq!(pragma(&db, "journal_mode"), "Text(\"wal\")");
        assert_eq!(pragma(&db, "synchronous"), "Integer(2)");
        assert_eq!(pragma(&db, "secure_delete"), "Integer(2)");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_large_sort_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let writer = open_writer(&path).unwrap();
        for db in [writer, open_reader(&path).unwrap()] {
            let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000) \
                       SELECT hex(randomblob(50)) AS text FROM n ORDER BY text";
            let mut statement = db.prepare(sql).unwrap();
            let mut rows = statement.query([]).unwrap();
            rows.next().unwrap().unwrap();
            let open = std::fs::read_dir("/proc/self/fd").unwrap();
            let temporary = open.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
            // Names of SQLite's temporary files begin so.
            let temporary = temporary.filter(|path| path.to_string_lossy().contains("etilqs_"));
            assert_eq!(temporary.count(), 0);
        }
    }

    #[test]
    fn an_existing_log_is_opened_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let first = open_writer(&path).unwrap();
        first
            .execute("INSERT INTO link (link_id) VALUES ('docs-1')", [])
            .unwrap();
        drop(first);
        let rows: i64 = open_writer(&path)
            .unwrap()
            .query_row("SELECT count(*) FROM link", [], |row| row.get(0))
            .unwrap();
        assert_eq!(rows, 1);
    }

    #[test]
    fn a_log_from_before_the_first_release_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let db = open_writer(&path).unwrap();
        db.pragma_update(None, "user_version", 4).unwrap();
        drop(db);
        let before = std::fs::read(&path).unwrap();
        for error in [
            open_writer(&path).unwrap_err(),
            open_to_examine(&ACCESS_LOG, &path).unwrap_err(),
        ] {
            assert!(matches!(error, OpenError::Older { found: 4, .. }));
            assert!(error.to_string().contains("a.db has format 4"), "{error}");
            assert!(
                error.to_string().contains("move the file elsewhere"),
                "{error}"
            );
        }
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_log_of_a_newer_version_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let db = open_writer(&path).unwrap();
        db.pragma_update(None, "user_version", ACCESS_LOG.version() + 1)
            .unwrap();
        drop(db);
        let error = open_writer(&path).unwrap_err();
        assert!(
            matches!(error, OpenError::Newer { found, .. } if found == ACCESS_LOG.version() + 1)
        );
        assert!(error.to_string().contains("a.db has format 7"));
    }

    #[test]
    fn other_databases_and_other_files_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let links = folder.path().join("links.db");
        Connection::open(&links)
            .unwrap()
            .execute_batch("CREATE TABLE link (id TEXT)")
            .unwrap();
        let before = std::fs::read(&links).unwrap();
        assert!(matches!(
            open_writer(&links).unwrap_err(),
            OpenError::Foreign { .. }
        ));
        assert_eq!(std::fs::read(&links).unwrap(), before);

        let text = folder.path().join("notes.txt");
        std::fs::write(&text, "not a database at all, only a few words").unwrap();
        assert!(matches!(
            open_writer(&text).unwrap_err(),
            OpenError::Sqlite { .. }
        ));
    }
}
