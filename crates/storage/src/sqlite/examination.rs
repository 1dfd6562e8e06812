//! Examines a file beside its users: its objects, and those that it should not have; its pages.
//!
//! A trigger or a view of another program runs with the rights of the service, and no check of pages
//! notices it. So a file that comes from elsewhere is compared with what our own statements make.

use std::path::Path;

use rusqlite::{Connection, ErrorCode};
use thiserror::Error;

use super::SqliteFile;

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

/// Instructions of SQLite between two questions whether the check may go on; less than a
/// millisecond.
const STEPS: i32 = 1_000;

/// The damages that a check lists; the first of them usually explains the others.
const LISTED: u8 = 5;

/// The outcome of a check of pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageCheck {
    /// All pages are sound.
    Sound,
    /// SQLite's reports of the first damages.
    Damaged(Vec<String>),
    /// The check was stopped before its end, and had found nothing.
    Stopped,
}

/// Checks the pages of a file on a connection of its own, for as long as `goes_on` says so. It
/// reads the file as it is at one moment; until it ends, the write-ahead log of others grows.
///
/// Indexes are not compared with their tables, which takes many times as long; `slugline doctor`
/// does that.
///
/// # Errors
/// SQLite's message, if the file cannot be read for another reason than damage.
pub fn check_pages(
    path: &Path,
    mut goes_on: impl FnMut() -> bool + Send + 'static,
) -> Result<PageCheck, String> {
    let look = || -> Result<Vec<String>, rusqlite::Error> {
        let mut connection = SqliteFile::new(path).open_to_examine()?;
        connection.progress_handler(STEPS, Some(move || !goes_on()))?;
        reports(&connection)
    };
    match look() {
        Ok(reports) if reports == ["ok"] => Ok(PageCheck::Sound),
        Ok(reports) => Ok(PageCheck::Damaged(reports)),
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => Ok(PageCheck::Stopped),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Ok(PageCheck::Damaged(vec![error.to_string()]))
            }
            _ => Err(error.to_string()),
        },
    }
}

fn reports(connection: &Connection) -> Result<Vec<String>, rusqlite::Error> {
    let mut check = connection.prepare(&format!("PRAGMA quick_check({LISTED})"))?;
    let lines = check.query_map([], |line| line.get(0))?;
    lines.collect()
}

/// The words, texts and signs of a statement, to compare those that differ in blanks, quotes and
/// case only. Names are lower case and lose quotes that they do
/// not need; texts and comments stay as they are.
fn tokens(sql: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = sql.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = length_of_token(rest, first);
        let (token, after) = rest.split_at(length);
        tokens.push(plain(token));
        rest = after.trim_start();
    }
    tokens
}

fn length_of_token(text: &str, first: char) -> usize {
    let until = |end: &str| text.find(end).map_or(text.len(), |at| at + end.len());
    match first {
        '\'' | '"' | '`' => length_of_quoted(text, first),
        '[' => until("]"),
        // One piece up to its end: what a comment hides must not count as a word.
        '-' if text.starts_with("--") => until("\n"),
        '/' if text.starts_with("/*") => until("*/"),
        _ if is_of_word(first) => text.find(|c| !is_of_word(c)).unwrap_or(text.len()),
        _ => first.len_utf8(),
    }
}

/// A quote within is written twice.
fn length_of_quoted(text: &str, quote: char) -> usize {
    let mut within = text.char_indices().skip(1).peekable();
    while let Some((at, sign)) = within.next() {
        if sign == quote && within.next_if(|(_, next)| *next == quote).is_none() {
            return at + 1;
        }
    }
    text.len()
}

fn is_of_word(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || sign == '_' || sign == '$' || !sign.is_ascii()
}

fn plain(token: &str) -> String {
    let name = token
        .strip_prefix('"')
        .and_then(|token| token.strip_suffix('"'));
    let name = name.filter(|name| !name.is_empty() && name.chars().all(is_of_word));
    match token.chars().next() {
        _ if name.is_some() => name.unwrap_or_default().to_ascii_lowercase(),
        Some(first) if is_of_word(first) => token.to_ascii_lowercase(),
        _ => token.trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

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

    const PAGE: usize = 4_096;

    /// A file of some hundred pages.
    fn file(folder: &Path) -> PathBuf {
        let path = folder.join("a.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE number (value BLOB);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
                 INSERT INTO number SELECT randomblob(500) FROM n",
            )
            .unwrap();
        path
    }

    #[test]
    fn damage_of_any_page_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path());
        assert_eq!(check_pages(&path, || true), Ok(PageCheck::Sound));
        let intact = fs::read(&path).unwrap();
        for page in [0, 1, 2, 100, intact.len() / PAGE - 1] {
            let mut damaged = intact.clone();
            damaged[page * PAGE..(page + 1) * PAGE].fill(0xa5);
            fs::write(&path, damaged).unwrap();
            let found = check_pages(&path, || true).unwrap();
            let PageCheck::Damaged(reports) = found else {
                panic!("page {page}: {found:?}");
            };
            assert!(!reports.is_empty() && reports.len() <= 5, "{reports:?}");
        }
    }

    #[test]
    fn a_check_ends_when_it_is_told_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path());
        assert_eq!(check_pages(&path, || false), Ok(PageCheck::Stopped));
    }

    #[test]
    fn a_file_that_is_not_there_is_not_damaged() {
        let folder = tempfile::tempdir().unwrap();
        check_pages(&folder.path().join("a.db"), || true).unwrap_err();
    }

    #[test]
    fn blanks_quotes_and_case_of_names_do_not_matter() {
        let one = tokens("CREATE TABLE \"a\" ( \"b\" text NULL, c INTEGER )");
        assert_eq!(one, tokens("create table a(b TEXT null,\n c integer)"));
        assert_eq!(tokens("x'00' + 1.5"), ["x", "'00'", "+", "1", ".", "5"]);
    }

    #[test]
    fn texts_comments_and_odd_names_stay_as_they_are() {
        for (one, other) in [
            ("'a b'", "'ab'"),
            ("'A'", "'a'"),
            ("'it''s'", "'it' 's'"),
            ("'a'", "a"),
            ("\"a b\"", "a b"),
            ("a -- b\n c", "a -- b c"),
            ("a /* b */ c", "a /* b c */"),
            ("[a b]", "a b"),
        ] {
            assert_ne!(tokens(one), tokens(other), "{one}");
        }
    }

    #[test]
    fn what_has_no_end_ends_with_the_statement() {
        for text in ["'a", "\"", "-- b", "/* ü", "[", "'it''"] {
            assert_eq!(tokens(text), [text]);
        }
    }
}
