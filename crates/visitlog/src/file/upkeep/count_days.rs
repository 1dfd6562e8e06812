//! Counts days that are over, the latest day first.
//!
//! Counting a day takes seconds on a busy site, so a thread of low priority does it. The writer
//! only claims the day before that, and stores the totals afterwards.

use std::{
    error::Error as StdError,
    path::{Path, PathBuf},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use rusqlite::Connection;
use slugline_analytics::journal::open::open_reader;

use crate::file::{
    day::count::count,
    day_totals::{self, Claim, Encoded},
    error::EngineError,
    limits::{Deadline, Waiting, step_back},
    snapshot::Snapshot,
};

/// The time limit for one day: far more than the largest day takes.
const LIMIT: Duration = Duration::from_mins(10);

/// The time for which the writer waits for a result at each step.
const LOOK: Duration = Duration::from_millis(1);

/// A running count. It ends soon after this is dropped.
#[derive(Debug)]
pub(crate) struct Counting {
    claim: Claim,
    result: Receiver<Result<Option<Encoded>, EngineError>>,
    _waiting: Waiting,
}

/// The state of a count.
#[derive(Debug)]
pub(crate) enum Progress {
    /// The count goes on.
    UnderWay(Counting),
    /// The count ended. The next one begins before this day.
    Ended { before: i64 },
}

/// Begins to count the latest day before `before` that has no totals, if there is one. A day is left
/// out as long as processes died of more counts of it than this process began rounds: a process that
/// dies of such a day at least runs an hour longer than the one before.
pub(crate) fn begin(
    db: &mut Connection,
    before: i64,
    rounds: u32,
) -> Result<Option<Counting>, EngineError> {
    let Some(path) = db.path().map(PathBuf::from) else {
        return Ok(None);
    };
    let Some(day) = day_totals::latest_uncounted(db, before, rounds)? else {
        return Ok(None);
    };
    let claim = day_totals::claim(db, day)?;
    let deadline = Deadline::after(LIMIT);
    let waiting = deadline.waiting();
    let (tell, result) = mpsc::channel();
    thread::Builder::new()
        .name("access-log-days".into())
        .spawn(move || {
            step_back();
            // The receiver may be gone.
            let _ = tell.send(count_in(&path, day, deadline));
        })
        .map_err(EngineError::Thread)?;
    Ok(Some(Counting {
        claim,
        result,
        _waiting: waiting,
    }))
}

fn count_in(path: &Path, day: i64, deadline: Deadline) -> Result<Option<Encoded>, EngineError> {
    let mut db = open_reader(path)?;
    count(&Snapshot::take(&mut db, deadline)?, day)
}

impl Counting {
    /// Stores the totals if they are ready and the day has not changed meanwhile. A day that cannot
    /// be counted waits for the next round; questions scan its rows.
    pub(crate) fn step(self, db: &mut Connection) -> Result<Progress, EngineError> {
        let before = self.claim.day;
        let counted = match self.result.recv_timeout(LOOK) {
            Ok(counted) => counted,
            Err(RecvTimeoutError::Timeout) => return Ok(Progress::UnderWay(self)),
            Err(RecvTimeoutError::Disconnected) => Err(EngineError::Panicked),
        };
        match counted {
            Ok(Some(totals)) => {
                day_totals::store(db, self.claim, &totals)?;
            }
            Ok(None) => day_totals::give_up(db, self.claim)?,
            Err(error) => {
                day_totals::give_up(db, self.claim)?;
                let error: &(dyn StdError + 'static) = &error;
                tracing::debug!(error, day = before, "a day of the access log has no totals");
            }
        }
        Ok(Progress::Ended { before })
    }
}
