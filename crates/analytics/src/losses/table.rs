//! The losses in the database: an access log or a spool.

use rusqlite::{Connection, TransactionBehavior, params};
use slugline_domain::VisitFilter;

use super::{Loss, MOST, among, file::LossFile};

/// Moves the losses of a file into the database. If there are too many then, neighbours are
/// combined.
pub(crate) fn load(db: &mut Connection, file: &mut LossFile) -> Result<(), rusqlite::Error> {
    if file.held().is_empty() && all(db)?.len() <= MOST {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    save(&tx, file.held())?;
    let losses = Loss::few(&all(&tx)?, MOST);
    tx.execute("DELETE FROM loss", [])?;
    save(&tx, &losses)?;
    tx.commit()?;
    // If that fails, too many visits count as lost after another restart.
    file.hold(Vec::new());
    Ok(())
}

/// Visits that may be missing from an answer about this time, on any link.
pub fn concerning(db: &Connection, filter: &VisitFilter) -> Result<u64, rusqlite::Error> {
    Ok(among(&all(db)?, filter))
}

/// All losses, oldest first.
pub fn all(db: &Connection) -> Result<Vec<Loss>, rusqlite::Error> {
    db.prepare("SELECT from_minute, until_minute, visits FROM loss ORDER BY from_minute")?
        .query_map([], |row| {
            Ok(Loss {
                from: row.get(0)?,
                until: row.get(1)?,
                visits: row.get::<_, i64>(2)?.unsigned_abs(),
            })
        })?
        .collect()
}

/// Adds losses to those in the file.
pub fn save(db: &Connection, losses: &[Loss]) -> Result<(), rusqlite::Error> {
    let mut statement = db.prepare_cached(
        "INSERT INTO loss (from_minute, until_minute, visits) VALUES (?1, ?2, ?3) \
         ON CONFLICT DO UPDATE SET visits = visits + excluded.visits",
    )?;
    for loss in losses {
        let visits = i64::try_from(loss.visits).unwrap_or(i64::MAX);
        statement.execute(params![loss.from, loss.until, visits])?;
    }
    Ok(())
}

/// Deletes losses from before a moment. Visits from before it are deleted, too.
pub fn delete_before(db: &Connection, cutoff_ms: i64) -> Result<(), rusqlite::Error> {
    db.prepare_cached("DELETE FROM loss WHERE until_minute < ?1")?
        .execute([cutoff_ms.div_euclid(60_000)])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::blank;

    #[test]
    fn many_losses_become_fewer_and_stay_complete() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = blank::open(&folder.path().join("a.db"));
        let losses: Vec<Loss> = (0..15_000)
            .map(|minute| Loss {
                from: minute,
                until: minute,
                visits: 2,
            })
            .collect();
        save(&db, &losses).unwrap();
        load(&mut db, &mut LossFile::default()).unwrap();
        let loaded = all(&db).unwrap();
        assert_eq!(loaded.len(), 7_500);
        let first = (loaded[0].from, loaded[0].until, loaded[0].visits);
        assert_eq!(first, (0, 1, 4));
        load(&mut db, &mut LossFile::default()).unwrap();
        assert_eq!(all(&db).unwrap(), loaded);
        assert_eq!(concerning(&db, &VisitFilter::default()).unwrap(), 30_000);
        delete_before(&db, 15_000 * 60_000).unwrap();
        assert_eq!(all(&db).unwrap(), []);
    }
}
