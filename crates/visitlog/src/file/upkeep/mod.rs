//! Maintains the log in small steps between batches: it seals days that are over, merges their
//! chunks, deletes old rows, counts days, and returns space. Each step is a bounded piece of work
//! in a transaction of its own, so visits never wait for long.

pub(crate) mod count_days;
pub(crate) mod erase;
pub(crate) mod merge;

use std::{error::Error as StdError, num::NonZeroU32};

use rusqlite::Connection;
use slugline_analytics::{
    journal::{clock::clock_is_steady, error::is_damage, open::give_back},
    losses, sampled,
    utc::{self, MILLIS_PER_DAY},
};
use slugline_domain::UnixMillis;

use super::{
    error::EngineError,
    salted_days, seal, tail,
    upkeep::count_days::{Counting, Progress},
};

/// The number of full chunks that become one when their day is over. So the tail is short during
/// the day, and there are few chunks later.
pub(crate) const MERGED: usize = 4;

/// The time by which visits of a day may be late without becoming a chunk of their own.
const LATE_MS: i64 = 300_000;

/// The time from one round to the next.
const PAUSE_MS: i64 = 3_600_000;

/// The rounds of steps.
#[derive(Debug)]
pub(crate) struct Upkeep {
    retention_days: Option<NonZeroU32>,
    rows_per_chunk: usize,
    /// The rounds that this process began.
    rounds: u32,
    next: Step,
}

/// The next step. The steps of a round are in this order.
#[derive(Debug)]
enum Step {
    /// Wait until it is time for a round.
    Rest {
        until_ms: i64,
    },
    /// Seal the tail's rows from before this day.
    SealDays {
        today: i64,
        cutoff_ms: i64,
    },
    /// Delete old chunks with numbers above one.
    DeleteChunks {
        today: i64,
        cutoff_ms: i64,
        after: i64,
    },
    /// Merge small chunks, from one day to before another one.
    Merge {
        first: i64,
        today: i64,
    },
    /// Count the days before this one, the latest first.
    CountDays {
        before: i64,
    },
    CountDay(Counting),
    GiveBack,
}

impl Step {
    /// The step that follows when this one has nothing more to do; `None` at the end of a round and
    /// between rounds.
    fn past(&self) -> Option<Self> {
        match *self {
            Self::Rest { .. } | Self::GiveBack => None,
            Self::SealDays { today, cutoff_ms } => Some(Self::DeleteChunks {
                today,
                cutoff_ms,
                after: i64::MIN,
            }),
            Self::DeleteChunks { today, .. } => {
                let first = i64::MIN;
                Some(Self::Merge { first, today })
            }
            Self::Merge { today, .. } => Some(Self::CountDays { before: today }),
            Self::CountDays { .. } | Self::CountDay(_) => Some(Self::GiveBack),
        }
    }
}

impl Upkeep {
    pub(crate) fn new(retention_days: Option<NonZeroU32>, rows_per_chunk: usize) -> Self {
        Self {
            retention_days,
            rows_per_chunk,
            rounds: 0,
            next: Step::Rest { until_ms: i64::MIN },
        }
    }

    /// Takes one step. Returns whether there is more to do now. After an error the round ends, and
    /// the next one starts from the beginning.
    pub(crate) fn step(
        &mut self,
        db: &mut Connection,
        now: UnixMillis,
    ) -> Result<bool, EngineError> {
        let rest = Step::Rest {
            until_ms: now.get() + PAUSE_MS,
        };
        let step = std::mem::replace(&mut self.next, rest);
        let past = step.past();
        let next = match self.take(step, db, now) {
            Err(error) if error.is_damage() && past.is_some() => {
                let error: &(dyn StdError + 'static) = &error;
                tracing::warn!(
                    error,
                    "the upkeep goes on past damage; `slugline doctor` examines the access log"
                );
                past
            }
            taken => taken?,
        };
        let more = !matches!(next, None | Some(Step::Rest { .. }));
        if let Some(next) = next {
            self.next = next;
        }
        Ok(more)
    }

    /// Takes a step, and returns the one that follows.
    fn take(
        &mut self,
        step: Step,
        db: &mut Connection,
        now: UnixMillis,
    ) -> Result<Option<Step>, EngineError> {
        let past = step.past();
        Ok(match step {
            Step::Rest { until_ms } => self.begin(db, now, until_ms)?,
            Step::SealDays { today, cutoff_ms } => {
                let more = seal::seal_before(db, today, self.rows_per_chunk)?;
                let again = Step::SealDays { today, cutoff_ms };
                more.then_some(again).or(past)
            }
            Step::DeleteChunks {
                today,
                cutoff_ms,
                after,
            } => {
                let deleted = delete_chunks(db, cutoff_ms, after)?;
                let again = |after| Step::DeleteChunks {
                    today,
                    cutoff_ms,
                    after,
                };
                deleted.map(again).or(past)
            }
            Step::Merge { first, today } => {
                let most = self.rows_per_chunk.saturating_mul(MERGED);
                let merged = merge::merge_day_alone(db, (first, today), most)?;
                merged.map(|first| Step::Merge { first, today }).or(past)
            }
            Step::CountDays { before } => {
                let counting = count_days::begin(db, before, self.rounds)?;
                counting.map(Step::CountDay).or(past)
            }
            Step::CountDay(counting) => match counting.step(db)? {
                Progress::UnderWay(counting) => Some(Step::CountDay(counting)),
                Progress::Ended { before } => Some(Step::CountDays { before }),
            },
            Step::GiveBack => give_back(db)?.then_some(Step::GiveBack),
        })
    }

    fn begin(
        &mut self,
        db: &Connection,
        now: UnixMillis,
        until_ms: i64,
    ) -> Result<Option<Step>, EngineError> {
        // A clock that was set back must not postpone the next round for long.
        let early = now.get() < until_ms && until_ms - now.get() <= PAUSE_MS;
        if early {
            return Ok(Some(Step::Rest { until_ms }));
        }
        self.rounds = self.rounds.saturating_add(1);
        let mut cutoff_ms = i64::MIN;
        if let Some(days) = self.retention_days
            && clock_is_steady(db, now.get())?
        {
            cutoff_ms = now.get() - i64::from(days.get()) * MILLIS_PER_DAY;
            losses::table::delete_before(db, cutoff_ms)?;
            sampled::table::delete_before(db, cutoff_ms)?;
            tail::delete_before(db, cutoff_ms)?;
            salted_days::forget_before(db, utc::day_of(cutoff_ms))?;
        }
        // Visits that were on their way at midnight belong to the day before.
        let today = utc::day_of(now.get() - LATE_MS);
        Ok(Some(Step::SealDays { today, cutoff_ms }))
    }
}

/// The number of chunks deleted at once: some six megabytes.
pub(crate) const CHUNKS_AT_ONCE: i64 = 4;

/// Deletes chunks with numbers above `after` all of whose rows are from before a moment. Returns
/// the number after which to continue. A chunk belongs to one day, so no row stays for more than a
/// day longer. A chunk that is too damaged to be deleted stays.
pub(crate) fn delete_chunks(
    db: &Connection,
    cutoff_ms: i64,
    after: i64,
) -> Result<Option<i64>, rusqlite::Error> {
    let mut select = db.prepare_cached(
        "SELECT id FROM chunk WHERE max_ts < ?1 AND id > ?2 ORDER BY id LIMIT ?3",
    )?;
    let ids = select.query_map([cutoff_ms, after, CHUNKS_AT_ONCE], |row| row.get(0))?;
    let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
    let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else {
        return Ok(None);
    };
    let mut delete =
        db.prepare_cached("DELETE FROM chunk WHERE max_ts < ?1 AND id BETWEEN ?2 AND ?3")?;
    let together = delete.execute([cutoff_ms, first, last]);
    if found_damage(together)? {
        for id in ids {
            if found_damage(delete.execute([cutoff_ms, id, id]))? {
                tracing::warn!(chunk = id, "{LEFT_BEHIND}");
            }
        }
    }
    Ok(Some(last))
}

const LEFT_BEHIND: &str = "an old chunk is so damaged that it cannot be deleted; \
                           `slugline doctor --rebuild` makes a file without it";

/// Returns whether the deletion met damage. Other failures are errors.
fn found_damage(deleted: Result<usize, rusqlite::Error>) -> Result<bool, rusqlite::Error> {
    match deleted {
        Ok(_) => Ok(false),
        Err(error) if is_damage(&error) => Ok(true),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
