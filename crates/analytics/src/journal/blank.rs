//! A file for tests, without rows: it has only the tables that the files of both engines share.

use std::path::Path;

use rusqlite::Connection;

use super::open::{FileKind, open_file};

const FILE: FileKind = FileKind {
    application_id: 7,
    steps: &["
CREATE TABLE salt (
    period TEXT NOT NULL, start_ms INTEGER NOT NULL, end_ms INTEGER NOT NULL,
    salt BLOB NOT NULL, PRIMARY KEY (period, start_ms)
) STRICT, WITHOUT ROWID;
CREATE TABLE loss (
    from_minute INTEGER NOT NULL, until_minute INTEGER NOT NULL, visits INTEGER NOT NULL,
    PRIMARY KEY (from_minute, until_minute)
) STRICT, WITHOUT ROWID;
CREATE TABLE clock (
    only INTEGER PRIMARY KEY CHECK (only = 1), seen_ms INTEGER NOT NULL, doubted_since_ms INTEGER
) STRICT;
CREATE TABLE sampled (
    id INTEGER PRIMARY KEY, from_minute INTEGER NOT NULL, until_minute INTEGER NOT NULL,
    link_id TEXT NOT NULL, slug TEXT NOT NULL, interval INTEGER NOT NULL
) STRICT;"],
};

pub(crate) fn open(path: &Path) -> Connection {
    open_file(&FILE, path).unwrap()
}
