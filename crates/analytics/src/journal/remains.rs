//! The rows that can still be read from the tables of a damaged file.
//!
//! A damaged page ends every scan of a table. So this module first finds the keys, from both ends,
//! and then reads each row by its key.

use rusqlite::{Connection, OptionalExtension, ToSql, params_from_iter, types::Value};

use crate::{
    losses::{Loss, table},
    sampled,
};

/// The most keys to try between the last one found from the front and the first one found from the
/// back.
const GAP: i64 = 1 << 20;

/// The keys that can be read from a table.
#[derive(Debug)]
pub struct Keys {
    pub found: Vec<i64>,
    /// True if there may be further keys, whose number is unknown.
    pub unreachable: bool,
}

/// The losses in words, if any.
pub fn many(lost: u64, unreachable: bool) -> impl Iterator<Item = String> {
    let counted = (lost > 0).then(|| lost.to_string());
    let unknown = unreachable.then(|| "an unknown number of".to_owned());
    counted.into_iter().chain(unknown)
}

impl Keys {
    /// Reads from the front and, if damage ends that, from the back.
    pub fn of(db: &Connection, table: &str, key: &str) -> Self {
        let read = |order: &str| -> (Vec<i64>, bool) {
            let mut found = Vec::new();
            let mut walk = || -> Result<(), rusqlite::Error> {
                // The condition is one that SQLite cannot use, because it would otherwise read an
                // index that is not damaged.
                let sql = format!(
                    "SELECT {key} FROM {table} WHERE +{key} IS NOT NULL ORDER BY {key} {order}"
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

pub fn values(db: &Connection, sql: &str, key: i64) -> Result<Option<Vec<Value>>, rusqlite::Error> {
    let mut statement = db.prepare_cached(sql)?;
    let columns = statement.column_count();
    statement
        .query_row([key], |row| {
            (0..columns).map(|column| row.get(column)).collect()
        })
        .optional()
}

pub fn insert(
    db: &Connection,
    or: &str,
    table: &str,
    values: &[Value],
) -> Result<(), rusqlite::Error> {
    let marks = vec!["?"; values.len()].join(", ");
    let values = values.iter().map(|value| -> &dyn ToSql { value });
    db.prepare_cached(&format!("INSERT {or} INTO {table} VALUES ({marks})"))?
        .execute(params_from_iter(values))?;
    Ok(())
}

/// Copies the losses that the old file recorded, and adds those of the copying.
pub fn copy_losses(
    old: &Connection,
    new: &Connection,
    lost: &[Loss],
) -> Result<(), rusqlite::Error> {
    let recorded = table::all(old).unwrap_or_else(|_| vec![Loss::unknown()]);
    table::save(new, &recorded)?;
    table::save(new, lost)
}

/// Copies the spans in which visits were sampled. Returns `false` if they cannot be read.
pub fn copy_sampled(old: &Connection, new: &Connection) -> Result<bool, rusqlite::Error> {
    let Ok(spans) = sampled::table::all(old) else {
        return Ok(false);
    };
    sampled::table::save(new, spans.iter())?;
    Ok(true)
}

/// Copies the rows of a table that can be read, by their key. The loss of
/// others is not visible.
pub fn copy_readable(
    old: &Connection,
    new: &Connection,
    table: &str,
    key: &str,
) -> Result<(), rusqlite::Error> {
    let sql = format!("SELECT * FROM {table} WHERE {key} = ?1");
    for number in Keys::of(old, table, key).found {
        if let Ok(Some(row)) = values(old, &sql, number) {
            insert(new, "OR IGNORE", table, &row)?;
        }
    }
    Ok(())
}

/// Copies a table that not every file has. Returns whether all of it could be read.
pub fn copy_table(
    old: &Connection,
    new: &Connection,
    table: &str,
    create: &str,
) -> Result<bool, rusqlite::Error> {
    match old.table_exists(None, table) {
        Ok(true) => {}
        Ok(false) => return Ok(true),
        Err(_) => return Ok(false),
    }
    new.execute_batch(create)?;
    let Ok(mut statement) = old.prepare(&format!("SELECT * FROM {table}")) else {
        return Ok(false);
    };
    let columns = statement.column_count();
    let Ok(mut rows) = statement.query([]) else {
        return Ok(false);
    };
    loop {
        let Ok(row) = rows.next() else {
            return Ok(false);
        };
        let Some(row) = row else { return Ok(true) };
        let row: Result<Vec<Value>, _> = (0..columns).map(|column| row.get(column)).collect();
        let Ok(row) = row else { return Ok(false) };
        insert(new, "", table, &row)?;
    }
}

/// Damages listed one by one; the rest are only counted.
const LISTED: usize = 5;

/// One examined part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    /// The part examined: `pages`, `chunks`, `tail`, `links` or `totals` of an access
    /// log; `pages`, `rows` or `shipment` of a spool.
    pub what: &'static str,
    /// The finding, in words.
    pub found: String,
    /// True if it is sound.
    pub sound: bool,
}

/// A description of a sound part, or the damages of a damaged one.
pub type Finding = Result<String, Vec<String>>;

pub fn said(what: &'static str, finding: Finding) -> Examined {
    match finding {
        Ok(found) => Examined {
            what,
            found,
            sound: true,
        },
        Err(damages) => {
            let listed = damages[..damages.len().min(LISTED)].join("; ");
            let found = match damages.len().saturating_sub(LISTED) {
                0 => listed,
                more => format!("{listed}; and {more} more"),
            };
            Examined {
                what,
                found,
                sound: false,
            }
        }
    }
}

pub fn unreadable(error: &rusqlite::Error) -> Vec<String> {
    vec![error.to_string()]
}

pub fn pages(db: &Connection) -> Finding {
    let lines = || -> Result<Vec<String>, rusqlite::Error> {
        db.prepare("PRAGMA integrity_check")?
            .query_map([], |row| row.get(0))?
            .collect()
    };
    match lines() {
        Ok(lines) if lines == ["ok"] => Ok("sound".into()),
        Ok(lines) => Err(lines),
        Err(error) => Err(unreadable(&error)),
    }
}
