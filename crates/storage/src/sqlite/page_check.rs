//! A check of a file's pages beside its readers and its writer.

use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use super::SqliteFile;

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
        let connection = SqliteFile::new(path).open_to_examine()?;
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

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use super::*;

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
}
