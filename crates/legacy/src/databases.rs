//! The databases of other link shorteners: one SQL text for each product and dialect.
//!
//! A person can read a text before the client of the database runs it. It writes a line of JSON for each
//! link, in the names that Slugline's links have, between a line that proves how the client treats texts
//! and a line with the counts. SQLite files are opened here, read-only, and run the same text.

use std::{
    io::{self, Write},
    path::Path,
};

use rusqlite::{Batch, Connection, OpenFlags, fallible_iterator::FallibleIterator};
use thiserror::Error;

/// The tables by which a SQLite file tells its product, and the product.
const TABLES: &[(&str, &str)] = &[
    ("short_urls", "shlink"),
    ("urls", "chhoto"),
    ("links", "kutt"),
];

/// The first bytes of a SQLite file.
pub const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// Returns the text that writes the links of a product, for the client of its database.
///
/// # Errors
/// There is no such text.
pub fn sql(product: &str, dialect: &str) -> Result<&'static str, DatabaseError> {
    Ok(match (product, dialect) {
        ("chhoto", "sqlite") => include_str!("databases/sql/chhoto-sqlite.sql"),
        ("kutt", "mysql") => include_str!("databases/sql/kutt-mysql.sql"),
        ("kutt", "postgres") => include_str!("databases/sql/kutt-postgres.sql"),
        ("kutt", "sqlite") => include_str!("databases/sql/kutt-sqlite.sql"),
        ("shlink", "mysql") => include_str!("databases/sql/shlink-mysql.sql"),
        ("shlink", "postgres") => include_str!("databases/sql/shlink-postgres.sql"),
        ("shlink", "sqlite") => include_str!("databases/sql/shlink-sqlite.sql"),
        ("yourls", "mysql") => include_str!("databases/sql/yourls-mysql.sql"),
        _ => return Err(DatabaseError::NoText),
    })
}

/// Writes the lines of the links in a SQLite file, which stays as it is.
///
/// # Errors
/// The file is none of the known products, or is damaged, or `lines` takes no more.
pub fn write_lines(file: &Path, lines: &mut impl Write) -> Result<(), DatabaseError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(file, flags)?;
    let text = sql(product(&database)?, "sqlite")?;
    // The client's own commands begin with a dot.
    let statements: Vec<&str> = text.lines().filter(|line| !line.starts_with('.')).collect();
    let statements = statements.join("\n");
    let mut batch = Batch::new(&database, &statements);
    while let Some(mut statement) = batch.next()? {
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            lines.write_all(row.get_ref(0)?.as_bytes().unwrap_or_default())?;
            lines.write_all(b"\n")?;
        }
    }
    Ok(lines.flush()?)
}

fn product(database: &Connection) -> Result<&'static str, DatabaseError> {
    let tables = "SELECT group_concat(name, ', ') FROM sqlite_master WHERE type = 'table'";
    let tables: Option<String> = database.query_row(tables, [], |row| row.get(0))?;
    let tables = tables.unwrap_or_default();
    let is_there = |table: &str| tables.split(", ").any(|it| it == table);
    let known = TABLES.iter().find(|(table, _)| is_there(table));
    let product = known.map(|(_, product)| *product);
    product.ok_or(DatabaseError::Unknown(tables))
}

/// The reason why the links of a database cannot be read.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// No text is for this product and this dialect.
    #[error(
        "there is no text for this database; there are chhoto sqlite, yourls mysql, and for kutt and \
         shlink each mysql, postgres and sqlite"
    )]
    NoText,
    /// The tables are those of no product that is known.
    #[error(
        "it is a SQLite file of none of Chhoto, Kutt and Shlink; its tables are: {0}; copy the file \
         while its program is stopped, together with the file that ends in -wal"
    )]
    Unknown(String),
    /// SQLite cannot read the file.
    #[error("SQLite cannot read it: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The reader of the lines went away.
    #[error(transparent)]
    Lines(#[from] io::Error),
}
