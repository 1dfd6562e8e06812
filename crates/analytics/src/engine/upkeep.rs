//! What the log needs beside appending and answering, in small steps between
//! batches: old rows end, and so does what only they needed.

use std::num::NonZeroU32;

use rusqlite::Connection;
use slugline_domain::UnixMillis;

use super::{
    error::EngineError, loss_table, retention, steady_clock::SteadyClock, unused::Usage, vacuum,
};

const MILLIS_PER_DAY: i64 = 86_400_000;

/// From one round to the next.
const PAUSE_MS: i64 = 3_600_000;

/// Round after round of steps.
#[derive(Debug)]
pub(super) struct Upkeep {
    retention_days: Option<NonZeroU32>,
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
    DeleteChunks {
        cutoff_ms: i64,
        any: bool,
    },
    DeleteTailRows {
        cutoff_ms: i64,
        any: bool,
    },
    /// Chunks up to this one were looked at.
    TrimChunks {
        cutoff_ms: i64,
        any: bool,
        after: i64,
    },
    SeeChunks(Usage),
    DeleteUnused(Usage),
    GiveBack,
}

/// What a step leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Progress {
    /// There is more to do now.
    pub(super) more: bool,
    /// Dictionary entries were deleted.
    pub(super) forgot: bool,
}

impl Upkeep {
    pub(super) fn new(retention_days: Option<NonZeroU32>) -> Self {
        Self {
            retention_days,
            clock: SteadyClock::default(),
            next: Step::Rest { until_ms: i64::MIN },
        }
    }

    /// Takes one step. After an error the round ends, and the next one begins
    /// from the start.
    pub(super) fn step(
        &mut self,
        db: &mut Connection,
        now: UnixMillis,
    ) -> Result<Progress, EngineError> {
        let rest = Step::Rest {
            until_ms: now.get() + PAUSE_MS,
        };
        let step = std::mem::replace(&mut self.next, rest);
        let mut forgot = false;
        let next = match step {
            Step::Rest { until_ms } => self.begin(db, now, until_ms)?,
            Step::DeleteChunks { cutoff_ms, any } => {
                if retention::delete_chunks(db, cutoff_ms)? {
                    Some(Step::DeleteChunks {
                        cutoff_ms,
                        any: true,
                    })
                } else {
                    Some(Step::DeleteTailRows { cutoff_ms, any })
                }
            }
            Step::DeleteTailRows { cutoff_ms, any } => {
                if retention::delete_tail_rows(db, cutoff_ms)? {
                    Some(Step::DeleteTailRows {
                        cutoff_ms,
                        any: true,
                    })
                } else {
                    Some(Step::TrimChunks {
                        cutoff_ms,
                        any,
                        after: i64::MIN,
                    })
                }
            }
            Step::TrimChunks {
                cutoff_ms,
                any,
                after,
            } => match retention::trim_chunk(db, cutoff_ms, after)? {
                Some(after) => Some(Step::TrimChunks {
                    cutoff_ms,
                    any: true,
                    after,
                }),
                None if any => Some(Step::SeeChunks(Usage::start(db)?)),
                None => None,
            },
            Step::SeeChunks(mut usage) => {
                if usage.see_chunk(db)? {
                    Some(Step::SeeChunks(usage))
                } else {
                    Some(Step::DeleteUnused(usage))
                }
            }
            Step::DeleteUnused(mut usage) => match usage.delete_unused(db)? {
                Some(true) => {
                    forgot = true;
                    Some(Step::DeleteUnused(usage))
                }
                Some(false) => Some(Step::GiveBack),
                None => Some(Step::SeeChunks(Usage::start(db)?)),
            },
            Step::GiveBack => vacuum::give_back(db)?.then_some(Step::GiveBack),
        };
        let more = !matches!(next, None | Some(Step::Rest { .. }));
        if let Some(next) = next {
            self.next = next;
        }
        Ok(Progress { more, forgot })
    }

    fn begin(
        &mut self,
        db: &Connection,
        now: UnixMillis,
        until_ms: i64,
    ) -> Result<Option<Step>, EngineError> {
        let Some(days) = self.retention_days else {
            return Ok(None);
        };
        let believed = self.clock.is_believed(now, db)?;
        // A clock that was set back may not postpone the next round for long.
        let early = now.get() < until_ms && until_ms - now.get() <= PAUSE_MS;
        if early {
            return Ok(Some(Step::Rest { until_ms }));
        }
        if !believed {
            return Ok(None);
        }
        let cutoff_ms = now.get() - i64::from(days.get()) * MILLIS_PER_DAY;
        loss_table::delete_before(db, cutoff_ms)?;
        let any = false;
        Ok(Some(Step::DeleteChunks { cutoff_ms, any }))
    }
}

#[cfg(test)]
mod tests;
