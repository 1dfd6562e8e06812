//! What can still be read of a damaged access log.
//!
//! Every entry, row and chunk is asked for by its own number, so that a
//! damaged page costs what is on it and nothing else.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, types::Value};
use slugline_domain::{UnixMillis, UnixSeconds};

use super::{
    block::Block,
    column::Column,
    dictionary::OTHER,
    dimension::Table,
    error::{EngineError, OpenError},
    id_set::IdSet,
    remains::{Keys, copy_losses, copy_salts, insert, many, values},
    replace::{Rebuilt, replace},
    schema::ACCESS_LOG,
    seal,
};
use crate::losses::Loss;

/// Columns without which a row says nothing.
const ESSENTIAL: [Column; 4] = [
    Column::Time,
    Column::Interval,
    Column::Coherent,
    Column::Visitor,
];

/// Replaces the access log in a file by one with everything that can still be
/// read of it. The old file, and SQLite's files beside it, stay under a name
/// that ends with `.damaged-` and the moment.
///
/// # Errors
/// Somebody is writing to the file, it was written by a newer version or is
/// something else, or the new one cannot be written. Everything is then as it
/// was.
pub fn rebuild(path: &Path, now: UnixSeconds) -> Result<Rebuilt, OpenError> {
    replace(&ACCESS_LOG, path, now, copy)
}

/// The ids of a dictionary.
pub(super) fn known_ids(db: &Connection, table: Table) -> Result<IdSet, rusqlite::Error> {
    let mut known = IdSet::default();
    let mut statement = db.prepare(&format!("SELECT id FROM {}", table.entries()))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        known.insert(row.get(0)?);
    }
    Ok(known)
}

fn copy(
    old: &Connection,
    new: &mut Connection,
    rebuilt: &mut Rebuilt,
) -> Result<(), rusqlite::Error> {
    let tx = new.transaction()?;
    let mut known = Vec::new();
    for table in Table::ALL {
        let (from, and) = (table.entries(), table.and());
        let into = from.split(' ').next().unwrap_or(from);
        let keys = Keys::of(old, from, and, "id");
        let mut lost = 0;
        for id in keys.found {
            match values(old, &format!("SELECT * FROM {from} {and} id = ?1"), id) {
                Ok(Some(values)) => insert(&tx, "OR IGNORE", into, &values)?,
                Ok(None) => {}
                Err(_) => lost += 1,
            }
        }
        for many in many(lost, keys.unreachable) {
            rebuilt.lost.push(format!(
                "{many} {} entries; their visits count as (other)",
                table.entry_name()
            ));
        }
        known.push(known_ids(&tx, table)?);
    }
    copy_salts(old, &tx)?;
    let chunks = Keys::of(old, "chunk", "WHERE", "id");
    let mut losses = Vec::new();
    for many in many(0, chunks.unreachable) {
        rebuilt.lost.push(format!("{many} chunks"));
        losses.push(Loss::unknown());
    }
    for id in chunks.found {
        match read_chunk(old, id, &known, &mut rebuilt.lost) {
            Ok(Some(block)) => {
                let rows: Vec<usize> = (0..block.rows).collect();
                seal::insert(&tx, Some(id), &block, &rows)?;
                rebuilt.rows += u64::try_from(block.rows).unwrap_or(0);
            }
            Ok(None) => {}
            Err(error) => {
                let loss = loss_of_chunk(old, id);
                let rows = loss.map_or("its".to_owned(), |loss| loss.visits.to_string());
                losses.push(loss.unwrap_or(Loss::unknown()));
                let reason = super::error::chain(&error);
                rebuilt.lost.push(format!("{rows} rows: {reason}"));
            }
        }
    }

    let rows = Keys::of(old, "tail", "WHERE", "seq");
    let mut lost = 0;
    let mut times = Vec::new();
    for seq in rows.found {
        match values(old, "SELECT * FROM tail WHERE seq = ?1", seq) {
            Ok(Some(mut values)) => {
                // The columns of the references, in the order of `Table::ALL`.
                for (column, known) in [2, 3, 4, 5, 6].into_iter().zip(&known) {
                    let id = match values.get(column) {
                        Some(Value::Integer(id)) => u32::try_from(*id).ok(),
                        _ => None,
                    };
                    if !id.is_some_and(|id| known.contains(id)) {
                        values[column] = OTHER.into();
                    }
                }
                if let Some(Value::Integer(time)) = values.get(1) {
                    times.push(UnixMillis::new(*time));
                }
                insert(&tx, "", "tail", &values)?;
                rebuilt.rows += 1;
            }
            Ok(None) => {}
            Err(_) => lost += 1,
        }
    }
    if lost > 0 || rows.unreachable {
        losses.push(Loss::among(&times, lost));
    }
    for many in many(lost, rows.unreachable) {
        rebuilt.lost.push(format!("{many} rows of the tail"));
    }
    copy_losses(old, &tx, &losses)?;
    tx.commit()
}

/// The rows of a chunk that cannot be read, as far as its head can be.
fn loss_of_chunk(old: &Connection, id: i64) -> Option<Loss> {
    let sql = "SELECT min_ts, max_ts, n FROM chunk WHERE id = ?1";
    let moment = |row: &Row<'_>, column| row.get(column).map(UnixMillis::new);
    old.query_row(sql, [id], |row| {
        let rows = row.get::<_, u32>(2)?;
        Ok(Loss::between(moment(row, 0)?, moment(row, 1)?, rows.into()))
    })
    .ok()
}

/// A chunk with every reference within the dictionaries. A column of
/// references that cannot be read counts as `(other)`.
fn read_chunk(
    old: &Connection,
    id: i64,
    known: &[IdSet],
    lost: &mut Vec<String>,
) -> Result<Option<Block>, EngineError> {
    let read = |columns: &[Column]| -> Result<Option<Block>, EngineError> {
        let selection = Block::selection(columns);
        old.query_row(
            &format!("SELECT {selection} FROM chunk WHERE id = ?1"),
            [id],
            |row| Ok(Block::read(row, columns)),
        )
        .optional()?
        .transpose()
    };
    let Some(mut block) = read(&ESSENTIAL)? else {
        return Ok(None);
    };
    for (table, known) in Table::ALL.into_iter().zip(known) {
        let ids = match read(&[table.column()]) {
            Ok(Some(column)) => column.ids(table).to_vec(),
            Ok(None) => Vec::new(),
            Err(error) => {
                let (name, reason) = (table.entry_name(), super::error::chain(&error));
                lost.push(format!(
                    "the {name} of {} visits: {reason}; they count as (other)",
                    block.rows
                ));
                Vec::new()
            }
        };
        let mut ids = ids;
        ids.resize(block.rows, OTHER);
        for id in &mut ids {
            if !known.contains(*id) {
                *id = OTHER;
            }
        }
        *block.ids_mut(table) = ids;
    }
    Ok(Some(block))
}
