//! Maintenance of the log, in small steps between batches: days that are over
//! become chunks, and few of them, old rows end, days are counted, and space goes
//! back. Each step is a bounded piece of work in a transaction of its own, so
//! visits never wait for long.

pub(crate) mod count_days;
pub(crate) mod erase;
pub(crate) mod merge;
pub(crate) mod steady_clock;

use std::{num::NonZeroU32, sync::Arc};

use rusqlite::Connection;
use slugline_domain::UnixMillis;

use self::{
    count_days::{Counting, Progress},
    steady_clock::SteadyClock,
};
use crate::engine::{
    read::renewals::Renewals,
    store::{error::EngineError, loss_table, salted_days, tail},
    write::seal,
};

const MILLIS_PER_DAY: i64 = 86_400_000;

/// Chunks of the usual number of rows that become one when their day is over:
/// while it lasts, the tail is short, and later there are few chunks.
const MERGED: usize = 4;

/// The time visits of a day may be late without being a chunk of their own.
const LATE_MS: i64 = 300_000;

/// Chunks deleted at once: some six megabytes.
const CHUNKS_AT_ONCE: i64 = 4;

/// Free pages that are kept for the rows to come: 4 MiB.
const SPARE_PAGES: u32 = 1_024;

/// Free pages given back at once: 2 MiB.
const PAGES_AT_ONCE: u32 = 512;

/// From one round to the next.
const PAUSE_MS: i64 = 3_600_000;

/// Round after round of steps.
#[derive(Debug)]
pub(crate) struct Upkeep {
    retention_days: Option<NonZeroU32>,
    rows_per_chunk: usize,
    renewals: Arc<Renewals>,
    clock: SteadyClock,
    next: Step,
}

/// The next step. Those of a round follow one another in this order.
#[derive(Debug)]
enum Step {
    /// Wait until it is time for a round.
    Rest {
        until_ms: i64,
    },
    /// The tail's rows from before this day become chunks.
    SealDays {
        today: i64,
        cutoff_ms: i64,
    },
    DeleteChunks {
        today: i64,
        cutoff_ms: i64,
    },
    /// Small chunks become fewer, from one day to before another one.
    Merge {
        first: i64,
        today: i64,
    },
    /// Days before this one get their totals, the latest first.
    CountDays {
        before: i64,
    },
    CountDay(Counting),
    GiveBack,
}

impl Upkeep {
    pub(crate) fn new(
        retention_days: Option<NonZeroU32>,
        rows_per_chunk: usize,
        renewals: Arc<Renewals>,
    ) -> Self {
        Self {
            retention_days,
            rows_per_chunk,
            renewals,
            clock: SteadyClock::default(),
            next: Step::Rest { until_ms: i64::MIN },
        }
    }

    /// Takes one step, and says whether there is more to do now. After an error
    /// the round ends, and the next one begins from the start.
    pub(crate) fn step(
        &mut self,
        db: &mut Connection,
        now: UnixMillis,
    ) -> Result<bool, EngineError> {
        let rest = Step::Rest {
            until_ms: now.get() + PAUSE_MS,
        };
        let step = std::mem::replace(&mut self.next, rest);
        let next = match step {
            Step::Rest { until_ms } => self.begin(db, now, until_ms)?,
            Step::SealDays { today, cutoff_ms } => {
                if seal::seal_before(db, today, self.rows_per_chunk)? {
                    Some(Step::SealDays { today, cutoff_ms })
                } else {
                    Some(Step::DeleteChunks { today, cutoff_ms })
                }
            }
            Step::DeleteChunks { today, cutoff_ms } => {
                if delete_chunks(db, cutoff_ms)? {
                    Some(Step::DeleteChunks { today, cutoff_ms })
                } else {
                    let first = i64::MIN;
                    Some(Step::Merge { first, today })
                }
            }
            Step::Merge { first, today } => {
                let most = self.rows_per_chunk.saturating_mul(MERGED);
                let merge = || merge::merge_day_alone(db, (first, today), most);
                match self.renewals.merge(merge).transpose()?.flatten() {
                    Some(first) => Some(Step::Merge { first, today }),
                    // A merge that has to wait for a question is left to the next round.
                    None => Some(Step::CountDays { before: today }),
                }
            }
            Step::CountDays { before } => match count_days::begin(db, before)? {
                Some(counting) => Some(Step::CountDay(counting)),
                None => Some(Step::GiveBack),
            },
            Step::CountDay(counting) => match counting.step(db)? {
                Progress::UnderWay(counting) => Some(Step::CountDay(counting)),
                Progress::Ended { before } => Some(Step::CountDays { before }),
            },
            Step::GiveBack => give_back(db)?.then_some(Step::GiveBack),
        };
        let more = !matches!(next, None | Some(Step::Rest { .. }));
        if let Some(next) = next {
            self.next = next;
        }
        Ok(more)
    }

    fn begin(
        &mut self,
        db: &Connection,
        now: UnixMillis,
        until_ms: i64,
    ) -> Result<Option<Step>, EngineError> {
        let believed = match self.retention_days {
            Some(days) if self.clock.is_believed(now, db)? => Some(days),
            Some(_) | None => None,
        };
        // A clock that was set back may not postpone the next round for long.
        let early = now.get() < until_ms && until_ms - now.get() <= PAUSE_MS;
        if early {
            return Ok(Some(Step::Rest { until_ms }));
        }
        let mut cutoff_ms = i64::MIN;
        if let Some(days) = believed {
            cutoff_ms = now.get() - i64::from(days.get()) * MILLIS_PER_DAY;
            loss_table::delete_before(db, cutoff_ms)?;
            tail::delete_before(db, cutoff_ms)?;
            salted_days::forget_before(db, seal::day_of(cutoff_ms))?;
        }
        // Visits that were on their way at midnight belong to the day before.
        let today = seal::day_of(now.get() - LATE_MS);
        Ok(Some(Step::SealDays { today, cutoff_ms }))
    }
}

/// Deletes some chunks all of whose rows are from before a moment, and says
/// whether there were any. A chunk is of one day, so no row stays for more than
/// a day longer.
pub(crate) fn delete_chunks(db: &Connection, cutoff_ms: i64) -> Result<bool, rusqlite::Error> {
    let deleted = db
        .prepare_cached(
            "DELETE FROM chunk WHERE id IN (SELECT id FROM chunk WHERE max_ts < ?1 LIMIT ?2)",
        )?
        .execute([cutoff_ms, CHUNKS_AT_ONCE])?;
    Ok(deleted > 0)
}

/// Returns some free pages to the file system, in a transaction of its own, and
/// says whether there are more to return.
pub(crate) fn give_back(db: &Connection) -> Result<bool, rusqlite::Error> {
    give_back_but(db, SPARE_PAGES)
}

/// As [`give_back`], but keeps no free page, because one may still show deleted rows.
pub(crate) fn give_all_back(db: &Connection) -> Result<bool, rusqlite::Error> {
    give_back_but(db, 0)
}

fn give_back_but(db: &Connection, spare: u32) -> Result<bool, rusqlite::Error> {
    let free = || db.pragma_query_value(None, "freelist_count", |row| row.get::<_, u32>(0));
    let excess = free()?.saturating_sub(spare);
    if excess == 0 {
        return Ok(false);
    }
    let pages = excess.min(PAGES_AT_ONCE);
    let mut statement = db.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
    // Each step is one page.
    let mut steps = statement.query([])?;
    while steps.next()?.is_some() {}
    drop(steps);
    Ok(free()? > spare)
}

#[cfg(test)]
mod tests;
