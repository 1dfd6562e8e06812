//! The tables of an access log, and the statements that made them.

use std::path::Path;

use rusqlite::Connection;
use slugline_analytics::{
    OpenError,
    journal::open::{self, FileKind, open_file},
    transfer::import,
};

use crate::file::handover::LEAVING;

/// An access log: "SLUG" in ASCII.
pub(crate) const ACCESS_LOG: FileKind = FileKind {
    application_id: 0x534c_5547,
    steps: &[include_str!("tables.sql")],
};

/// Opens an access log for writing, and creates the file and its tables if they are missing.
pub(crate) fn open_writer(path: &Path) -> Result<Connection, OpenError> {
    open_file(&ACCESS_LOG, path)
}

/// The statements that made the schema of an access log.
#[derive(Clone, Copy, Debug)]
pub struct SchemaStatements {
    /// The statements that every file of this version had.
    pub statements: &'static [&'static str],
    /// Statements for tables that a file has only after an import or a move.
    pub further: &'static [&'static str],
}

/// The statements that made this file, by its version.
///
/// # Errors
/// The file cannot be opened, is no access log, or was written by a newer version.
pub fn making_of(path: &Path) -> Result<SchemaStatements, OpenError> {
    Ok(SchemaStatements {
        statements: open::making_of(&ACCESS_LOG, path)?,
        further: &[import::TABLE, LEAVING],
    })
}

#[cfg(test)]
mod tests {
    use slugline_analytics::journal::open::open_to_examine;

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
        use slugline_analytics::journal::open::open_reader;

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
            // The names of SQLite's temporary files begin with this.
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
    fn a_log_of_an_earlier_build_is_refused_with_the_commands_that_carry_its_visits_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let db = open_writer(&path).unwrap();
        let mark: i32 = db
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap();
        drop(db);
        // The last is that of a commit with other tables.
        for of_earlier in [0, 1, 8, mark ^ 1] {
            let db = Connection::open(&path).unwrap();
            db.pragma_update(None, "user_version", of_earlier).unwrap();
            drop(db);
            let before = std::fs::read(&path).unwrap();
            for error in [
                open_writer(&path).unwrap_err(),
                open_to_examine(&ACCESS_LOG, &path).unwrap_err(),
            ] {
                assert!(matches!(error, OpenError::OtherBuild { .. }), "{error:?}");
                let said = error.to_string();
                for part in ["a.db", "`slugline visits export", "`slugline visits import"] {
                    assert!(said.contains(part), "{said}");
                }
            }
            assert_eq!(std::fs::read(&path).unwrap(), before);
        }
    }

    #[test]
    fn a_log_of_a_newer_version_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let db = open_writer(&path).unwrap();
        db.pragma_update(None, "user_version", 9 << 24).unwrap();
        drop(db);
        let error = open_writer(&path).unwrap_err();
        assert!(matches!(error, OpenError::Newer { found, .. } if found == 9));
        assert!(error.to_string().contains("a.db has format 9"));
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
