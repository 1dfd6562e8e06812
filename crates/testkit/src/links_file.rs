//! A links database of SQLite for one test.

use std::path::PathBuf;

use rusqlite::Connection;
use tempfile::TempDir;

/// The file of a links database in a folder of its own, which goes with this value. The caller
/// opens it with `slugline-storage`.
#[derive(Debug)]
pub struct LinksFile(TempDir);

impl LinksFile {
    /// A file that is not there yet.
    ///
    /// # Panics
    /// There is no room for a folder.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// The path of the file.
    pub fn path(&self) -> PathBuf {
        self.0.path().join("links.db")
    }

    /// Makes every later statement about links fail: its tables are gone.
    ///
    /// # Panics
    /// The file is no links database.
    pub fn break_down(&self) {
        self.rename(|name| (!name.ends_with(AWAY)).then(|| format!("{name}{AWAY}")));
    }

    /// Brings the tables back.
    ///
    /// # Panics
    /// The file is no links database.
    pub fn recover(&self) {
        self.rename(|name| name.strip_suffix(AWAY).map(str::to_owned));
    }

    fn rename(&self, other: impl Fn(&str) -> Option<String>) {
        // The tables of the search index belong to the index, which has no statement of its own.
        const TABLES: &str = "SELECT name FROM sqlite_schema AS one WHERE type = 'table'
            AND name NOT LIKE 'sqlite%' AND NOT EXISTS (SELECT 1 FROM sqlite_schema AS index_of
                WHERE index_of.sql LIKE 'CREATE VIRTUAL%' AND one.name LIKE index_of.name || '%')";
        let database = Connection::open(self.path()).expect("the file opens");
        // Triggers and other tables keep the names that they use.
        let legacy = "PRAGMA legacy_alter_table = ON; PRAGMA foreign_keys = OFF";
        database.execute_batch(legacy).expect("settings of SQLite");
        let names: Vec<String> = {
            let mut tables = database.prepare(TABLES).expect("a schema");
            let names = tables.query_map([], |row| row.get(0)).expect("tables");
            names.map(|name| name.expect("a name")).collect()
        };
        for name in names {
            if let Some(other) = other(&name) {
                let rename = format!("ALTER TABLE \"{name}\" RENAME TO \"{other}\"");
                database.execute_batch(&rename).expect("a table is renamed");
            }
        }
    }
}

impl Default for LinksFile {
    fn default() -> Self {
        Self::new()
    }
}

const AWAY: &str = "_away";
