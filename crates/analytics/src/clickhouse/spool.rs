//! Rows on their way: a SQLite file that they stay in until ClickHouse has
//! acknowledged them.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use slugline_domain::ports::Random;

use super::row_binary;
use crate::{engine::FileKind, row::Row};

/// Marks the file: "SLSP" in ASCII.
pub(super) const FILE: FileKind = FileKind {
    application_id: 0x534c_5350,
    versions: &[include_str!("spool.sql")],
};

/// Most rows of a shipment, and about how many bytes.
const ROWS: u32 = 50_000;
const BYTES: u64 = 16 << 20;

/// Free pages that are kept for the rows to come.
const SPARE_PAGES: i64 = 1_024;

/// Rows that are sent together.
#[derive(Debug)]
pub(super) struct Shipment {
    /// What ClickHouse knows them by. It is decided before the first attempt
    /// and kept with the last row, so that every attempt is about the same
    /// rows, also after a crash.
    pub(super) token: String,
    pub(super) rows: Vec<u8>,
}

/// Adds a row at the end.
pub(super) fn insert(db: &Connection, row: &Row<'_>) -> Result<(), rusqlite::Error> {
    db.prepare_cached("INSERT INTO spool (row) VALUES (?1)")?
        .execute([row_binary::encode(row)])?;
    Ok(())
}

/// Bytes of the file that are in use.
pub(super) fn bytes(db: &Connection) -> Result<u64, rusqlite::Error> {
    let number = |name| db.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count")? - number("freelist_count")?;
    Ok(u64::try_from(pages * number("page_size")?).unwrap_or(0))
}

/// The shipment under way, or else one of the oldest rows; `None` when there
/// are no rows.
pub(super) fn next_shipment(
    db: &mut Connection,
    random: &dyn Random,
) -> Result<Option<Shipment>, rusqlite::Error> {
    let (token, last) = match under_way(db)? {
        Some(known) => known,
        None => match begin(db, random)? {
            Some(begun) => begun,
            None => return Ok(None),
        },
    };
    let mut rows = Vec::new();
    let mut statement = db.prepare_cached("SELECT row FROM spool WHERE seq <= ?1 ORDER BY seq")?;
    let mut found = statement.query([last])?;
    while let Some(row) = found.next()? {
        rows.extend_from_slice(row.get_ref(0)?.as_blob()?);
    }
    Ok(Some(Shipment { token, rows }))
}

/// The token of the shipment under way and its last row.
pub(super) fn under_way(db: &Connection) -> Result<Option<(String, i64)>, rusqlite::Error> {
    db.prepare_cached("SELECT token, last_seq FROM shipment")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

fn begin(
    db: &mut Connection,
    random: &dyn Random,
) -> Result<Option<(String, i64)>, rusqlite::Error> {
    let Some(last) = last_of_next(db)? else {
        return Ok(None);
    };
    let mut number = [0; 16];
    random.fill(&mut number);
    let token = format!("{:032x}", u128::from_be_bytes(number));
    db.execute(
        "INSERT INTO shipment (token, last_seq) VALUES (?1, ?2)",
        params![token, last],
    )?;
    Ok(Some((token, last)))
}

fn last_of_next(db: &Connection) -> Result<Option<i64>, rusqlite::Error> {
    let mut statement =
        db.prepare_cached("SELECT seq, octet_length(row) FROM spool ORDER BY seq LIMIT ?1")?;
    let mut rows = statement.query([ROWS])?;
    let (mut last, mut bytes) = (None, 0);
    while let Some(row) = rows.next()? {
        last = Some(row.get(0)?);
        bytes += u64::from(row.get::<_, u32>(1)?);
        if bytes >= BYTES {
            break;
        }
    }
    Ok(last)
}

/// The shipment arrived: its rows can go. Nothing happens if another process,
/// as there may be one during a restart, has seen to it already.
pub(super) fn arrived(db: &mut Connection, token: &str) -> Result<(), rusqlite::Error> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute(
        "DELETE FROM spool WHERE seq <= (SELECT last_seq FROM shipment WHERE token = ?1)",
        [token],
    )?;
    tx.execute("DELETE FROM shipment WHERE token = ?1", [token])?;
    tx.commit()
}

/// Gives the room of rows that have gone back to the file system.
pub(super) fn give_back(db: &Connection) -> Result<(), rusqlite::Error> {
    let free: i64 = db.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
    if free > SPARE_PAGES {
        db.execute_batch(&format!(
            "PRAGMA incremental_vacuum({})",
            free - SPARE_PAGES
        ))?;
    }
    Ok(())
}
