//! What can still be read of a damaged spool.

use std::path::Path;

use rusqlite::{Connection, params, types::Value};
use slugline_domain::UnixSeconds;

use super::{row_binary, spool};
use crate::{
    OpenError, Rebuilt,
    engine::{
        remains::{Keys, copy_salts, insert, many, values},
        replace,
    },
};

/// Replaces the file in which visits wait for ClickHouse by one with everything
/// that can still be read of it. The old file, and SQLite's files beside it,
/// stay under a name that ends with `.damaged-` and the moment.
///
/// # Errors
/// Somebody is writing to the file, it was written by a newer version or is
/// something else, or the new one cannot be written. Everything is then as it
/// was.
pub fn rebuild_spool(path: &Path, now: UnixSeconds) -> Result<Rebuilt, OpenError> {
    replace(&spool::FILE, path, now, copy)
}

/// Rows keep their numbers, by which a shipment says what belongs to it. One
/// damaged row would have ClickHouse refuse all that are sent with it.
fn copy(
    old: &Connection,
    new: &mut Connection,
    rebuilt: &mut Rebuilt,
) -> Result<(), rusqlite::Error> {
    let tx = new.transaction()?;
    copy_salts(old, &tx)?;
    let keys = Keys::of(old, "spool", "WHERE", "seq");
    let mut lost = 0;
    for seq in keys.found {
        match values(old, "SELECT * FROM spool WHERE seq = ?1", seq) {
            Ok(Some(row)) if is_sound(&row) => {
                insert(&tx, "", "spool", &row)?;
                rebuilt.rows += 1;
            }
            Ok(None) => {}
            Ok(Some(_)) | Err(_) => lost += 1,
        }
    }
    for many in many(lost, keys.unreachable) {
        rebuilt.lost.push(format!("{many} rows"));
    }
    match spool::under_way(old) {
        // What is left of it goes under the same token, so that ClickHouse does
        // not take it twice. A shipment of nothing would never end.
        Ok(Some((token, end))) => {
            tx.execute(
                "INSERT INTO shipment (token, last_seq) \
                 SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM spool WHERE seq <= ?2)",
                params![token, end],
            )?;
        }
        Ok(None) => {}
        Err(_) => rebuilt.lost.push(
            "which rows were under way; those that ClickHouse has already are counted twice".into(),
        ),
    }
    tx.commit()
}

fn is_sound(row: &[Value]) -> bool {
    matches!(row, [_, Value::Blob(row)] if row_binary::check(row).is_ok())
}
