//! A new file from what can still be read of a damaged one.
//!
//! Every entry, row and chunk is asked for by its own number, so that a
//! damaged page costs what is on it and nothing else. The old file is kept.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OptionalExtension, ToSql, params_from_iter, types::Value};
use slugline_domain::UnixSeconds;

use super::{
    block::Block,
    column::Column,
    dictionary::OTHER,
    dimension::Table,
    error::{EngineError, OpenError},
    id_set::IdSet,
    lock, schema, seal,
};

/// Numbers tried between the last one that reading found from the front and
/// the first one found from the back.
const GAP: i64 = 1 << 20;

/// Columns without which a row says nothing.
const ESSENTIAL: [Column; 4] = [
    Column::Time,
    Column::Interval,
    Column::Coherent,
    Column::Visitor,
];

/// What a rebuild saved and what was lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Rows in the new file.
    pub rows: u64,
    /// Where the old file is.
    pub old: PathBuf,
    /// What was lost, one line each; empty when everything was readable.
    pub lost: Vec<String>,
}

/// Replaces the access log in a file by one with everything that can still be
/// read of it. The old file, and SQLite's files beside it, stay under a name
/// that ends with `.damaged-` and the moment.
///
/// # Errors
/// Somebody is writing to the file, it was written by a newer version or is
/// something else, or the new one cannot be written. The old one is then still
/// in its place.
pub fn rebuild(path: &Path, now: UnixSeconds) -> Result<Rebuilt, OpenError> {
    let _alone = lock::take_alone(path)?;
    let failed = |source| OpenError::Rebuild {
        path: path.to_owned(),
        source,
    };
    let new_path = lock::beside(path, ".rebuilt");
    remove(&new_path).map_err(failed)?;
    let mut rebuilt = Rebuilt {
        old: lock::beside(path, &format!(".damaged-{}", now.get())),
        ..Rebuilt::default()
    };
    {
        let mut new = schema::open_writer(&new_path)?;
        match schema::open_to_examine(path) {
            Ok(old) => {
                copy(&old, &mut new, &mut rebuilt).map_err(|source| OpenError::Sqlite {
                    path: new_path.clone(),
                    source,
                })?;
            }
            Err(error @ (OpenError::Foreign { .. } | OpenError::Newer { .. })) => {
                return Err(error);
            }
            Err(error) => rebuilt
                .lost
                .push(format!("everything: {}", super::error::chain(&error))),
        }
        // Everything into the file itself: only that takes the old one's place.
        new.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(|source| OpenError::Sqlite {
                path: new_path.clone(),
                source,
            })?;
    }
    exchange(path, &new_path, &rebuilt.old).map_err(failed)?;
    Ok(rebuilt)
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

/// Gives the old files other names, and the new one theirs. Under one name or
/// the other, what was there can be found at every moment.
fn exchange(path: &Path, new: &Path, old: &Path) -> io::Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        let (from, to) = (lock::beside(path, suffix), lock::beside(old, suffix));
        if from.exists() && fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to)?;
        }
    }
    for suffix in ["-wal", "-shm"] {
        remove(&lock::beside(path, suffix))?;
    }
    fs::rename(new, path)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
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
    let salts = Keys::of(old, "salt", "WHERE", "start_ms");
    for start in salts.found {
        let found = values(old, "SELECT * FROM salt WHERE start_ms = ?1", start);
        if let Ok(Some(values)) = found {
            insert(&tx, "", "salt", &values)?;
        }
    }

    let chunks = Keys::of(old, "chunk", "WHERE", "id");
    for many in many(0, chunks.unreachable) {
        rebuilt.lost.push(format!("{many} chunks"));
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
                let rows = old
                    .query_row("SELECT n FROM chunk WHERE id = ?1", [id], |row| {
                        row.get::<_, i64>(0)
                    })
                    .map_or_else(|_| "its".to_owned(), |rows| format!("{rows}"));
                let reason = super::error::chain(&error);
                rebuilt.lost.push(format!("{rows} rows: {reason}"));
            }
        }
    }

    let rows = Keys::of(old, "tail", "WHERE", "seq");
    let mut lost = 0;
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
                insert(&tx, "", "tail", &values)?;
                rebuilt.rows += 1;
            }
            Ok(None) => {}
            Err(_) => lost += 1,
        }
    }
    for many in many(lost, rows.unreachable) {
        rebuilt.lost.push(format!("{many} rows of the tail"));
    }
    tx.commit()
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

/// The keys of a table that reading finds.
struct Keys {
    found: Vec<i64>,
    /// There may be more, and nobody can say how many.
    unreachable: bool,
}

/// How much was lost, in words, if anything.
fn many(lost: u64, unreachable: bool) -> impl Iterator<Item = String> {
    let counted = (lost > 0).then(|| lost.to_string());
    let unknown = unreachable.then(|| "an unknown number of".to_owned());
    counted.into_iter().chain(unknown)
}

impl Keys {
    /// Reads from the front and, when that ends at a damage, from the back.
    fn of(db: &Connection, from: &str, and: &str, key: &str) -> Self {
        let read = |order: &str| -> (Vec<i64>, bool) {
            let mut found = Vec::new();
            let mut walk = || -> Result<(), rusqlite::Error> {
                // A condition that SQLite cannot use, or it would read an index
                // that knows nothing of the damage.
                let sql = format!(
                    "SELECT {key} FROM {from} {and} +{key} IS NOT NULL ORDER BY {key} {order}"
                );
                let mut statement = db.prepare(&sql)?;
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    found.push(row.get(0)?);
                }
                Ok(())
            };
            let complete = walk().is_ok();
            (found, complete)
        };
        let (mut found, complete) = read("ASC");
        if complete {
            return Self {
                found,
                unreachable: false,
            };
        }
        let (mut back, _) = read("DESC");
        back.reverse();
        let mut unreachable = true;
        if let (Some(&last), Some(&first)) = (found.last(), back.first()) {
            let between = (last + 1)..first;
            unreachable = between.end - between.start > GAP;
            if !unreachable {
                found.extend(between);
            }
        }
        found.extend(back);
        found.dedup();
        Self { found, unreachable }
    }
}

fn values(db: &Connection, sql: &str, key: i64) -> Result<Option<Vec<Value>>, rusqlite::Error> {
    let mut statement = db.prepare_cached(sql)?;
    let columns = statement.column_count();
    statement
        .query_row([key], |row| {
            (0..columns).map(|column| row.get(column)).collect()
        })
        .optional()
}

fn insert(db: &Connection, or: &str, table: &str, values: &[Value]) -> Result<(), rusqlite::Error> {
    let marks = vec!["?"; values.len()].join(", ");
    let values = values.iter().map(|value| -> &dyn ToSql { value });
    db.prepare_cached(&format!("INSERT {or} INTO {table} VALUES ({marks})"))?
        .execute(params_from_iter(values))?;
    Ok(())
}
