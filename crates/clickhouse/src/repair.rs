//! Checks the spool, and rebuilds a damaged one from its readable rows.

use std::path::Path;

use rusqlite::{Connection, types::Value};
use slugline_analytics::{
    Examined, OpenError, Rebuilt,
    journal::{
        open::open_to_examine,
        remains::{Finding, Keys, copy_losses, copy_readable, insert, many, pages, said, values},
        replace::replace,
    },
    losses::Loss,
    transfer::import::copy_marks,
};
use slugline_domain::{UnixMillis, UnixSeconds};

use crate::{
    erasures, gaps, history, row_binary,
    spool::{self, UnderWay},
};

/// Examines the file in which visits wait for ClickHouse, also while another process writes to it, and
/// changes nothing in it.
///
/// # Errors
/// The file cannot be opened, is not a spool, or was written by a newer
/// version.
pub fn examine_spool(path: &Path) -> Result<Vec<Examined>, OpenError> {
    let db = open_to_examine(&spool::FILE, path)?;
    Ok(vec![
        said("pages", pages(&db)),
        said("rows", rows(&db)),
        said("shipment", shipment(&db)),
    ])
}

fn rows(db: &Connection) -> Finding {
    let mut waiting = 0_u64;
    let mut damages = Vec::new();
    let mut read = || -> Result<(), rusqlite::Error> {
        let mut statement = db.prepare("SELECT seq, row FROM spool ORDER BY seq")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            waiting += 1;
            if let Err(error) = row_binary::check(row.get_ref(1)?.as_blob()?) {
                let number: i64 = row.get(0)?;
                damages.push(format!("row {number} is damaged: {error}"));
            }
        }
        Ok(())
    };
    if let Err(error) = read() {
        damages.push(error.to_string());
    }
    if damages.is_empty() {
        Ok(format!("{waiting} wait for ClickHouse"))
    } else {
        Err(damages)
    }
}

fn shipment(db: &Connection) -> Finding {
    match spool::under_way(db) {
        Ok(None) => Ok("none is under way".into()),
        Ok(Some(UnderWay { last, .. })) => Ok(format!("rows up to {last} are under way")),
        Err(error) => Err(vec![error.to_string()]),
    }
}

/// Replaces the file in which visits wait for ClickHouse by one with all rows that are still
/// readable. The old file, and SQLite's files beside it, stay under a name that ends with
/// `.damaged-` and the moment.
///
/// # Errors
/// Another process is writing to the file, it was written by a newer version or
/// is not a spool, or the new one cannot be written. Nothing has changed then.
pub fn rebuild_spool(path: &Path, now: UnixSeconds) -> Result<Rebuilt, OpenError> {
    replace(&spool::FILE, path, now, copy)
}

/// Rows keep their numbers, because a shipment names its rows by them. One
/// damaged row would make ClickHouse refuse its whole shipment.
fn copy(
    old: &Connection,
    new: &mut Connection,
    rebuilt: &mut Rebuilt,
) -> Result<(), rusqlite::Error> {
    let tx = new.transaction()?;
    copy_readable(old, &tx, "salt", "start_ms")?;
    for order in erasures::orders(old).unwrap_or_default() {
        erasures::copy(&tx, &order)?;
    }
    let keys = Keys::of(old, "spool", "seq");
    let mut lost = 0;
    let mut times = Vec::new();
    for seq in keys.found {
        match values(old, "SELECT seq, row FROM spool WHERE seq = ?1", seq) {
            Ok(Some(row)) if let Some(time) = time_of_sound(&row) => {
                insert(&tx, "", "spool", &row)?;
                times.push(time);
                rebuilt.rows += 1;
            }
            Ok(None) => {}
            Ok(Some(_)) | Err(_) => lost += 1,
        }
    }
    let losses = if lost > 0 || keys.unreachable {
        vec![Loss::among(&times, lost)]
    } else {
        Vec::new()
    };
    copy_losses(old, &tx, &losses)?;
    rebuilt.lost.extend(gaps::copy(old, &tx)?);
    rebuilt.lost.extend(copy_marks(old, &tx)?);
    rebuilt.lost.extend(history::copy_tokens(old, &tx)?);
    for many in many(lost, keys.unreachable) {
        rebuilt.lost.push(format!("{many} rows"));
    }
    match spool::under_way(old) {
        Ok(Some(shipment)) => go_on(&tx, shipment)?,
        Ok(None) => {}
        Err(_) => rebuilt.lost.push(
            "which rows were under way; those that ClickHouse has already are counted twice".into(),
        ),
    }
    tx.commit()
}

/// The remaining rows of a shipment keep its token, so that ClickHouse does not
/// store them twice. The shipment now ends at the last remaining row: new rows
/// take the numbers after that, and ClickHouse would discard them under this
/// token. A shipment without rows is dropped, because it would never end.
fn go_on(new: &Connection, shipment: UnderWay) -> Result<(), rusqlite::Error> {
    let last: Option<i64> = new.query_row(
        "SELECT max(seq) FROM spool WHERE seq <= ?1",
        [shipment.last],
        |row| row.get(0),
    )?;
    match last {
        Some(last) => spool::note(new, &UnderWay { last, ..shipment }),
        None => Ok(()),
    }
}

/// The moment of the visit in a row, if the row is undamaged.
fn time_of_sound(row: &[Value]) -> Option<UnixMillis> {
    match row {
        [_, Value::Blob(row)] => row_binary::check(row).ok(),
        _ => None,
    }
}
