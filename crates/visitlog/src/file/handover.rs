//! Visits between an embedded log and another engine.
//!
//! The two have files of their own, and no transaction covers both. So a chunk first becomes a
//! batch of the log, with a token; then the other engine takes the batch and notes the token, in
//! one transaction; then the log deletes the batch. After a crash the move finds the batch in the
//! log, and the token tells the other engine whether it has the batch.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use slugline_analytics::{
    TransferError,
    journal::remains::copy_table,
    losses::{self, Loss},
    row::Row,
    transfer::{Parcel, Passage},
};
use slugline_domain::{StoredVisit, ports::Random};

/// The table of batches that have left the chunks of the log. `losses` is 1 if a batch has losses
/// instead of rows.
pub(crate) const LEAVING: &str = "CREATE TABLE IF NOT EXISTS leaving (
    token TEXT PRIMARY KEY, losses INTEGER NOT NULL, visits INTEGER NOT NULL, data BLOB NOT NULL
) STRICT, WITHOUT ROWID;";

/// A batch for the engine.
#[derive(Debug)]
pub(crate) struct Batch {
    token: String,
    has_losses: bool,
    pub(crate) visits: u64,
    data: Vec<u8>,
}

/// A batch that an earlier move left.
pub(crate) fn waiting(log: &Connection) -> Result<Option<Batch>, rusqlite::Error> {
    log.prepare_cached("SELECT token, losses, visits, data FROM leaving LIMIT 1")?
        .query_row([], |row| {
            Ok(Batch {
                token: row.get(0)?,
                has_losses: row.get(1)?,
                visits: row.get::<_, i64>(2)?.unsigned_abs(),
                data: row.get(3)?,
            })
        })
        .optional()
}

/// Makes a batch of some chunks, which contain these visits. No other process may write to the log.
pub(crate) fn take_chunks(
    log: &Connection,
    chunks: &[i64],
    visits: &[StoredVisit],
    into: &dyn Passage,
    random: &dyn Random,
) -> Result<(), rusqlite::Error> {
    let mut data = Vec::new();
    for visit in visits {
        let row = into.encode(&Row::of(visit));
        let length = u32::try_from(row.len()).expect("a row is far smaller than 4 GiB");
        data.extend(length.to_le_bytes());
        data.extend(row);
    }
    let batch = Batch {
        token: token(random),
        has_losses: false,
        visits: u64::try_from(visits.len()).unwrap_or(u64::MAX),
        data,
    };
    let tx = begin(log)?;
    for chunk in chunks {
        tx.execute("DELETE FROM chunk WHERE id = ?1", [chunk])?;
    }
    if batch.visits > 0 {
        note(&tx, &batch)?;
    }
    tx.commit()
}

/// Makes a batch of the log's losses.
pub(crate) fn take_losses(log: &Connection, random: &dyn Random) -> Result<(), rusqlite::Error> {
    let tx = begin(log)?;
    let losses = losses::table::all(&tx)?;
    if losses.is_empty() {
        return Ok(());
    }
    let numbers = losses.iter().flat_map(|loss| {
        let visits = i64::try_from(loss.visits).unwrap_or(i64::MAX);
        [loss.from, loss.until, visits]
    });
    let batch = Batch {
        token: token(random),
        has_losses: true,
        visits: 0,
        data: numbers.flat_map(i64::to_le_bytes).collect(),
    };
    note(&tx, &batch)?;
    tx.execute("DELETE FROM loss", [])?;
    tx.commit()
}

/// Hands a batch over, unless the other engine has it.
pub(crate) fn hand_over(into: &dyn Passage, batch: &Batch) -> Result<(), TransferError> {
    let content = if batch.has_losses {
        Parcel::Losses(losses_in(&batch.data))
    } else {
        Parcel::Rows(rows_in(&batch.data).collect())
    };
    into.take(&batch.token, &content)
}

/// Deletes a batch that the other engine has.
pub(crate) fn forget(log: &Connection, batch: &Batch) -> Result<(), rusqlite::Error> {
    log.execute("DELETE FROM leaving WHERE token = ?1", [&batch.token])?;
    Ok(())
}

/// Copies batches of a damaged log to a new one. Returns a description of the losses.
pub(crate) fn copy_leaving(
    old: &Connection,
    new: &Connection,
) -> Result<Option<String>, rusqlite::Error> {
    let complete = copy_table(old, new, "leaving", LEAVING)?;
    Ok((!complete).then(|| "visits that were being moved to ClickHouse".into()))
}

fn begin(db: &Connection) -> Result<Transaction<'_>, rusqlite::Error> {
    Transaction::new_unchecked(db, TransactionBehavior::Immediate)
}

fn note(log: &Connection, batch: &Batch) -> Result<(), rusqlite::Error> {
    let visits = i64::try_from(batch.visits).unwrap_or(i64::MAX);
    log.execute(
        "INSERT INTO leaving (token, losses, visits, data) VALUES (?1, ?2, ?3, ?4)",
        params![batch.token, batch.has_losses, visits, batch.data],
    )?;
    Ok(())
}

fn token(random: &dyn Random) -> String {
    let mut number = [0; 16];
    random.fill(&mut number);
    format!("{:032x}", u128::from_be_bytes(number))
}

fn rows_in(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = data;
    std::iter::from_fn(move || {
        let (length, after) = rest.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (row, after) = after.split_at_checked(length)?;
        rest = after;
        Some(row)
    })
}

fn losses_in(data: &[u8]) -> Vec<Loss> {
    let numbers: Vec<i64> = data
        .as_chunks()
        .0
        .iter()
        .map(|bytes| i64::from_le_bytes(*bytes))
        .collect();
    let losses = numbers.as_chunks().0.iter();
    losses
        .map(|&[from, until, visits]| Loss {
            from,
            until,
            visits: visits.unsigned_abs(),
        })
        .collect()
}
