//! Links whose visits are being erased.
//!
//! One transaction removes the number from such a link and marks it. From then on questions leave
//! its rows out, [`seal::write`](crate::file::seal::write) drops them, and the link's next visit
//! gets another number. The mark is removed when the file has no such row.

use std::collections::HashSet;

use rusqlite::Connection;
use slugline_domain::LinkId;

use super::{chunk::Chunk, error::EngineError, links, snapshot::Snapshot};

/// Marks the visits that a link has so far.
pub(crate) fn mark(db: &Connection, link: &LinkId) -> Result<(), rusqlite::Error> {
    // A link without a number has no visits.
    if let Some(number) = links::find(db, link.as_str())? {
        db.prepare_cached("INSERT INTO erasure (link) VALUES (?1)")?
            .execute([number])?;
        links::remove(db, number)?;
    }
    Ok(())
}

/// Every marked number.
pub(crate) fn marked(db: &Connection) -> Result<HashSet<i64>, rusqlite::Error> {
    db.prepare_cached("SELECT link FROM erasure")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// The days among some whose chunks may have rows of marked links: those that have, and those with a
/// chunk that cannot tell, because it is damaged. This reads only the links of chunks.
pub(crate) fn days(
    snapshot: &Snapshot<'_>,
    (first, last): (i64, i64),
    marks: &HashSet<i64>,
) -> Result<HashSet<i64>, EngineError> {
    let sql = format!(
        "SELECT {}, day FROM chunk WHERE day BETWEEN ?1 AND ?2",
        Chunk::COLUMNS
    );
    let mut statement = snapshot.db().prepare_cached(&sql)?;
    let mut found = statement.query([first, last])?;
    let mut days = HashSet::new();
    while let Some(row) = found.next()? {
        snapshot.check()?;
        let day = row.get("day")?;
        if days.contains(&day) {
            continue;
        }
        match Chunk::read(snapshot.db(), row).and_then(|chunk| chunk.links()) {
            Ok(links) if !links.links().iter().any(|link| marks.contains(link)) => {}
            Err(error) if !error.is_damage() => return Err(error),
            Ok(_) | Err(_) => {
                days.insert(day);
            }
        }
    }
    Ok(days)
}

/// Removes marks whose rows are gone, all of them or none.
pub(crate) fn finish(db: &mut Connection, marks: &HashSet<i64>) -> Result<(), rusqlite::Error> {
    let tx = db.transaction()?;
    for mark in marks {
        tx.prepare_cached("DELETE FROM erasure WHERE link = ?1")?
            .execute([mark])?;
    }
    tx.commit()
}
