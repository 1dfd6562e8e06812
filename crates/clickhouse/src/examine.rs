//! Checks the spool. It only reads, also while another process writes to it.

use std::path::Path;

use rusqlite::Connection;
use slugline_analytics::{
    Examined, OpenError,
    journal::{
        open::open_to_examine,
        remains::{Finding, pages, said},
    },
};

use crate::{
    row_binary,
    spool::{self, UnderWay},
};

/// Examines the file in which visits wait for ClickHouse, and changes nothing
/// in it.
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
