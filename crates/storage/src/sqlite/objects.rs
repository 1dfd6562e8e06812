//! The objects of a file, and those that it should not have.
//!
//! A trigger or a view of another program runs with the rights of the service, and no check of pages
//! notices it. So a file that comes from elsewhere is compared with what our own statements make.

use std::path::Path;

use rusqlite::Connection;
use thiserror::Error;

use super::{SqliteFile, sql_tokens::tokens};

/// The tables, indexes, triggers and views of an SQLite file. It knows no table by name, so it
/// reads any file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SqliteObjects(Vec<Object>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Object {
    kind: String,
    name: String,
    table: String,
    /// The statement that makes it; empty for the index of a constraint.
    made_by: Vec<String>,
}

/// The objects of a file cannot be read.
#[derive(Debug, Error)]
#[error("the schema cannot be read")]
pub struct ObjectsError(#[from] rusqlite::Error);

/// An object differs from those that a file should have. The text names it.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum Unlike {
    /// Our statements make no such object.
    #[error("it has the {kind} {name:?} on {table:?}, which slugline does not make")]
    Foreign {
        /// `table`, `index`, `trigger` or `view`.
        kind: String,
        /// Its name.
        name: String,
        /// The table that it belongs to.
        table: String,
    },
    /// Our statements make another one of the name.
    #[error("its {kind} {name:?} is not as slugline makes it")]
    Changed {
        /// `table`, `index`, `trigger` or `view`.
        kind: String,
        /// Its name.
        name: String,
    },
    /// The file lacks an object.
    #[error("it lacks the {kind} {name:?}")]
    Missing {
        /// `table`, `index`, `trigger` or `view`.
        kind: String,
        /// Its name.
        name: String,
    },
}

impl SqliteObjects {
    /// The objects of a file, which is left as it is.
    ///
    /// # Errors
    /// The file or its schema cannot be read.
    pub fn of_file(path: &Path) -> Result<Self, ObjectsError> {
        Self::of(&SqliteFile::new(path).open_to_examine()?)
    }

    /// The objects that these statements make in an empty database.
    ///
    /// # Errors
    /// A statement is wrong.
    pub fn made_by<S: AsRef<str>>(
        statements: impl IntoIterator<Item = S>,
    ) -> Result<Self, ObjectsError> {
        let connection = Connection::open_in_memory()?;
        for statement in statements {
            connection.execute_batch(statement.as_ref())?;
        }
        Self::of(&connection)
    }

    /// Compares the objects with those that must be there, and with others that may be there too,
    /// or in place of one of the same name.
    ///
    /// # Errors
    /// The first object that differs.
    pub fn compare(&self, expected: &Self, allowed: &Self) -> Result<(), Unlike> {
        let is_expected = |found: &&Object| expected.0.contains(found);
        let is_allowed = |found: &&Object| allowed.0.contains(found);
        let odd = |found: &&Object| !is_expected(found) && !is_allowed(found);
        if let Some(found) = self.0.iter().find(odd) {
            let (kind, name) = (found.kind.clone(), found.name.clone());
            return Err(if expected.0.iter().any(|one| one.is_named_as(found)) {
                Unlike::Changed { kind, name }
            } else {
                let table = found.table.clone();
                Unlike::Foreign { kind, name, table }
            });
        }
        let lacks = |one: &&Object| !self.0.iter().any(|found| found.is_named_as(one));
        match expected.0.iter().find(lacks) {
            Some(Object { kind, name, .. }) => Err(Unlike::Missing {
                kind: kind.clone(),
                name: name.clone(),
            }),
            None => Ok(()),
        }
    }

    fn of(connection: &Connection) -> Result<Self, ObjectsError> {
        // By its first name: a table that a file calls `sqlite_schema` would hide the schema.
        let sql = "SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_master ORDER BY 1, 2";
        let mut statement = connection.prepare(sql)?;
        let objects = statement.query_map([], |row| {
            Ok(Object {
                kind: row.get(0)?,
                name: row.get(1)?,
                table: row.get(2)?,
                made_by: tokens(&row.get::<_, String>(3)?),
            })
        })?;
        Ok(Self(objects.collect::<Result<_, _>>()?))
    }
}

impl Object {
    fn is_named_as(&self, other: &Self) -> bool {
        (&self.kind, &self.name) == (&other.kind, &other.name)
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::assert_matches;

    use super::*;

    const OURS: [&str; 3] = [
        "CREATE TABLE link (slug TEXT PRIMARY KEY, hits INTEGER DEFAULT 0)",
        "CREATE INDEX by_hits ON link (hits)",
        "CREATE TRIGGER gone AFTER DELETE ON link BEGIN SELECT 1; END",
    ];

    fn compared(statements: &[&str]) -> Result<(), Unlike> {
        let found = SqliteObjects::made_by(statements).unwrap();
        let allowed = SqliteObjects::made_by([
            "CREATE TABLE note (text)",
            "CREATE INDEX also ON note (text)",
        ]);
        let expected = SqliteObjects::made_by(OURS).unwrap();
        found.compare(&expected, &allowed.unwrap())
    }

    #[test]
    fn the_same_objects_pass_however_they_are_written() {
        assert_eq!(compared(&OURS), Ok(()));
        assert_eq!(
            compared(&[
                "CREATE TABLE  \"link\"( \"slug\" text PRIMARY KEY,hits integer DEFAULT 0 )",
                "create index by_hits on \"link\"(hits)",
                OURS[2],
                "CREATE TABLE note (text)",
            ]),
            Ok(())
        );
    }

    #[test]
    fn what_is_foreign_changed_or_missing_is_named() {
        let with = |statement: &'static str| {
            let statements = OURS.into_iter().chain([statement]);
            let error = compared(&statements.collect::<Vec<_>>()).unwrap_err();
            error.to_string()
        };
        for (statement, named) in [
            (
                "CREATE TRIGGER back AFTER DELETE ON link BEGIN INSERT INTO link VALUES ('a', 1); END",
                "the trigger \"back\" on \"link\"",
            ),
            (
                "CREATE VIEW all_links AS SELECT * FROM link",
                "the view \"all_links\"",
            ),
            ("CREATE INDEX odd ON link (abs(hits))", "the index \"odd\""),
            ("CREATE TABLE other (x)", "the table \"other\""),
            ("CREATE TABLE note (text, more)", "the table \"note\""),
        ] {
            let said = with(statement);
            assert!(said.contains(named), "{said}");
        }
        let trigger = "CREATE TRIGGER gone AFTER DELETE ON link BEGIN SELECT 2; END";
        let said = compared(&[OURS[0], OURS[1], trigger]).unwrap_err();
        assert_matches!(said, Unlike::Changed { name, .. } if name == "gone");
        let said = compared(&OURS[..2]).unwrap_err();
        assert_matches!(said, Unlike::Missing { name, .. } if name == "gone");
    }

    #[test]
    fn a_table_that_poses_as_the_schema_hides_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE mask (type, name, tbl_name, rootpage, sql);
                 CREATE TABLE hidden (x);
                 PRAGMA writable_schema = ON;
                 UPDATE sqlite_master SET name = 'sqlite_schema', tbl_name = 'sqlite_schema',
                     sql = replace(sql, 'mask', 'sqlite_schema') WHERE name = 'mask';",
            )
            .unwrap();
        drop(connection);
        // Either the file is refused as damaged, or both tables are found.
        if let Ok(found) = SqliteObjects::of_file(&path) {
            assert_eq!(found.0.len(), 2);
        }
    }
}
