//! Rows of a list in its order, however many there are: most visits first, then by their texts.
//!
//! Rows that do not fit into the memory wait in a database of their own, whose file has no name.

use std::{
    cmp::Ordering,
    error::Error as StdError,
    path::{Path, PathBuf},
    vec,
};

use rusqlite::{Connection, params};
use slugline_domain::AccessRow;

type Error = Box<dyn StdError + Send + Sync>;

/// Accepts rows in any order.
#[derive(Debug)]
pub(crate) struct Collector {
    /// The access log, beside which a file can be written.
    beside: Option<PathBuf>,
    held: Vec<AccessRow>,
    /// The memory of these rows.
    bytes: usize,
    most_bytes: usize,
    stored: Option<Connection>,
}

impl Collector {
    /// Holds at most so many bytes of rows. The file is beside the one of this database.
    pub(crate) fn beside(db: &Connection, most_bytes: usize) -> Self {
        Self {
            beside: db.path().map(PathBuf::from),
            held: Vec::new(),
            bytes: 0,
            most_bytes,
            stored: None,
        }
    }

    pub(crate) fn push(&mut self, row: AccessRow) -> Result<(), Error> {
        self.bytes += size_of::<AccessRow>() + row.slug.len() + row.url.len() + 32;
        self.held.push(row);
        if self.bytes > self.most_bytes {
            self.store()?;
        }
        Ok(())
    }

    /// All rows, in order.
    pub(crate) fn finish(mut self) -> Result<SortedRows, Error> {
        if self.stored.is_some() {
            self.store()?;
        }
        self.held.sort_unstable_by(compare);
        Ok(match self.stored {
            None => SortedRows::Held(self.held.into_iter()),
            Some(db) => {
                let after = (i64::MIN, String::new(), String::new());
                SortedRows::Stored {
                    db: Box::new(db),
                    after,
                }
            }
        })
    }

    /// Moves the held rows into the database.
    fn store(&mut self) -> Result<(), Error> {
        if self.stored.is_none() {
            self.stored = Some(nameless(self.beside.as_deref())?);
        }
        // A tree takes rows fastest in its own order.
        self.held.sort_unstable_by(compare);
        if let Some(db) = &self.stored {
            let mut insert = db.prepare_cached("INSERT INTO row VALUES (?1, ?2, ?3, ?4, ?5)")?;
            for row in self.held.drain(..) {
                let [visits, visitors, referers] =
                    [row.visits, row.visitors, row.referers].map(u64::cast_signed);
                insert.execute(params![-visits, row.slug, row.url, visitors, referers])?;
            }
        }
        self.bytes = 0;
        Ok(())
    }
}

/// Rows in order: most visits first, then by their texts.
#[derive(Debug)]
pub(crate) enum SortedRows {
    Held(vec::IntoIter<AccessRow>),
    Stored {
        db: Box<Connection>,
        /// The key of the last row that was read.
        after: (i64, String, String),
    },
}

impl SortedRows {
    /// At most so many next rows; none at the end.
    pub(crate) fn next(&mut self, most: usize) -> Result<Vec<AccessRow>, Error> {
        let (db, after) = match self {
            Self::Held(rows) => return Ok(rows.by_ref().take(most).collect()),
            Self::Stored { db, after } => (db, after),
        };
        let mut select = db.prepare_cached(
            "SELECT rank, slug, url, visitors, referers FROM row \
             WHERE (rank, slug, url) > (?1, ?2, ?3) ORDER BY rank, slug, url LIMIT ?4",
        )?;
        let most = i64::try_from(most)?;
        let found = select.query_map(params![after.0, after.1, after.2, most], |row| {
            Ok(AccessRow {
                visits: row.get::<_, i64>(0)?.unsigned_abs(),
                slug: row.get(1)?,
                url: row.get(2)?,
                visitors: row.get::<_, i64>(3)?.cast_unsigned(),
                referers: row.get::<_, i64>(4)?.cast_unsigned(),
            })
        })?;
        let rows: Vec<AccessRow> = found.collect::<Result<_, _>>()?;
        if let Some(last) = rows.last() {
            *after = (
                -last.visits.cast_signed(),
                last.slug.clone(),
                last.url.clone(),
            );
        }
        Ok(rows)
    }
}

fn compare(one: &AccessRow, other: &AccessRow) -> Ordering {
    let texts = || (&one.slug, &one.url).cmp(&(&other.slug, &other.url));
    other.visits.cmp(&one.visits).then_with(texts)
}

/// A database for the rows of one question.
fn nameless(log: Option<&Path>) -> Result<Connection, Error> {
    let db = open_nameless(log.ok_or("a database in memory has no folder")?)?;
    // The transaction never ends, so SQLite writes pages only when they are too many to hold.
    db.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN; \
         CREATE TABLE row ( \
             rank INTEGER, slug TEXT, url TEXT, visitors INTEGER, referers INTEGER, \
             PRIMARY KEY (rank, slug, url) \
         ) STRICT, WITHOUT ROWID",
    )?;
    Ok(db)
}

/// A database that no other program can open. It disappears with this process at the latest.
#[cfg(unix)]
fn open_nameless(log: &Path) -> Result<Connection, Error> {
    use std::{
        fs::{self, File},
        os::unix::fs::OpenOptionsExt,
        process,
        sync::atomic::{AtomicU64, Ordering::Relaxed},
    };

    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let suffix = format!("-rows-{}-{}", process::id(), NUMBER.fetch_add(1, Relaxed));
    let path = slugline_analytics::journal::lock::beside(log, &suffix);
    let mut new = File::options();
    new.write(true).create(true).truncate(true).mode(0o600);
    new.open(&path)?;
    let db = Connection::open(&path);
    fs::remove_file(&path)?;
    Ok(db?)
}

/// Windows does not remove files that are open, so this one is among SQLite's temporary files,
/// which disappear when they are closed.
#[cfg(not(unix))]
fn open_nameless(_log: &Path) -> Result<Connection, Error> {
    Ok(Connection::open("")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(visits: u64, slug: &str, url: &str) -> AccessRow {
        AccessRow {
            slug: slug.into(),
            url: url.into(),
            visitors: visits / 2,
            visits,
            referers: 1,
        }
    }

    #[test]
    fn rows_come_in_order_whether_they_are_held_or_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let db = Connection::open(folder.path().join("a.db")).unwrap();
        let long = "ü".repeat(6_000);
        let rows: Vec<AccessRow> = (0..3_000_u64)
            .map(|n| {
                row(
                    n * 7_919 % 50,
                    &format!("s{}", n % 1_000),
                    &long[..n_bytes(n)],
                )
            })
            .collect();
        let mut expected = rows.clone();
        expected.sort_by(compare);
        for most_bytes in [1, 10_000, 200_000, usize::MAX] {
            let mut collector = Collector::beside(&db, most_bytes);
            for row in &rows {
                collector.push(row.clone()).unwrap();
                assert!(collector.held.len() < 2 || collector.bytes <= most_bytes);
            }
            let mut sorted = collector.finish().unwrap();
            let in_file = matches!(&sorted, SortedRows::Stored { .. });
            assert_eq!(in_file, most_bytes < usize::MAX);
            let mut found = Vec::new();
            loop {
                let some = sorted.next(700).unwrap();
                if some.is_empty() {
                    break;
                }
                found.extend(some);
            }
            assert!(found == expected, "with {most_bytes} bytes");
            assert!(sorted.next(1).unwrap().is_empty());
            // No file is visible.
            let names = std::fs::read_dir(folder.path()).unwrap();
            let names = names.map(|entry| entry.unwrap().file_name());
            assert!(names.into_iter().all(|name| name == "a.db"));
        }
    }

    fn n_bytes(n: u64) -> usize {
        usize::try_from(n % 60).unwrap() * 2
    }

    #[test]
    fn a_disk_that_takes_no_rows_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let db = Connection::open(folder.path().join("a.db")).unwrap();
        let mut collector = Collector::beside(&db, 1);
        drop(db);
        drop(folder);
        let error = collector.push(row(1, "a", "b")).unwrap_err();
        assert!(error.is::<std::io::Error>(), "{error}");
    }
}
