//! Days whose visitor hashes cannot match those of another day.
//!
//! A visitor's hash is made with a salt. Salts that last for a day give other hashes every day, so
//! visitors of such days add up. Rows do not state which salt made their hash, so the log notes for
//! each day whether all of its rows came while salts lasted for a day.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};
use slugline_analytics::utc::day_of;

use super::{day_totals, tail};

/// Notes whether the rows of a day come under salts that last for a day.
#[derive(Debug)]
pub(crate) struct SaltedDays {
    apart: bool,
    /// Days that are noted already.
    noted: BTreeSet<i64>,
}

impl SaltedDays {
    /// `apart` is `true` if a salt lasts for a day at most.
    pub(crate) fn new(apart: bool) -> Self {
        Self {
            apart,
            noted: BTreeSet::new(),
        }
    }

    /// Notes the days of rows, in the transaction that stores them.
    pub(crate) fn note(
        &mut self,
        db: &Connection,
        days: impl Iterator<Item = i64>,
    ) -> Result<(), rusqlite::Error> {
        for day in days {
            if !self.noted.contains(&day) {
                note(db, day, self.apart)?;
                self.noted.insert(day);
            }
        }
        Ok(())
    }

    /// Tells that the transaction that noted days is durable, or was rolled back.
    pub(crate) fn settle(&mut self, durable: bool) {
        /// The number of days in memory.
        const FEW: usize = 8;
        if !durable || self.noted.len() > FEW {
            self.noted.clear();
        }
    }
}

/// Notes a day. A day that has had rows under a longer salt, or before there were notes, keeps that
/// note.
pub(crate) fn note(db: &Connection, day: i64, apart: bool) -> Result<(), rusqlite::Error> {
    let span = day_totals::span(day, 0);
    db.prepare_cached(
        "INSERT INTO salted_day (day, apart) VALUES \
         (?1, ?2 AND NOT EXISTS (SELECT 1 FROM chunk WHERE max_ts >= ?3 AND min_ts <= ?4)) \
         ON CONFLICT (day) DO UPDATE SET apart = min(apart, ?2)",
    )?
    .execute(params![day, apart, span.min_ts, span.max_ts])?;
    Ok(())
}

/// Returns whether no visitor of a day can be one of another day.
pub(crate) fn is_apart(db: &Connection, day: i64) -> Result<bool, rusqlite::Error> {
    let apart = db
        .prepare_cached("SELECT apart FROM salted_day WHERE day = ?1")?
        .query_row([day], |row| row.get(0))
        .optional()?;
    Ok(apart.unwrap_or(false))
}

/// Forgets the days before one.
pub(crate) fn forget_before(db: &Connection, day: i64) -> Result<(), rusqlite::Error> {
    db.prepare_cached("DELETE FROM salted_day WHERE day < ?1")?
        .execute([day])?;
    Ok(())
}

/// Notes every day with rows and without a note as one whose visitors may be those of other days.
pub(crate) fn note_unknown(db: &Connection) -> Result<(), rusqlite::Error> {
    db.execute_batch(
        "INSERT OR IGNORE INTO salted_day (day, apart) SELECT DISTINCT day, 0 FROM chunk",
    )?;
    let days: BTreeSet<i64> = tail::times(db)?.into_iter().map(day_of).collect();
    let mut insert = db.prepare("INSERT OR IGNORE INTO salted_day (day, apart) VALUES (?1, 0)")?;
    for day in days {
        insert.execute([day])?;
    }
    Ok(())
}
