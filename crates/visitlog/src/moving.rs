//! Moves the visits of an embedded log to another engine.

use std::{path::Path, time::Duration};

use rusqlite::Connection;
use slugline_analytics::{
    TransferError,
    journal::{
        lock::take_alone,
        open::{give_back, open_to_examine},
    },
    sampled,
    transfer::Passage,
};
use slugline_domain::ports::Random;

use crate::{
    file::{
        error::EngineError,
        handover::{self, LEAVING},
        schema::{ACCESS_LOG, open_writer},
        seal::seal_before,
        tail,
    },
    query::visits::{all_chunks, visits_of_chunk},
};

/// The outcome of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// The number of visits that left the log. A visit that stands for many counts once.
    pub visits: u64,
    /// Chunks that stay in the log, because they are damaged, with their damage.
    pub damaged: Vec<String>,
}

/// The rows of the tail that become a chunk, and roughly the visits that leave together.
const ROWS: usize = 16_384;

/// The time for which a transaction waits for one of another process.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Moves all visits of an embedded log to another engine. It calls `tell` with the number of visits
/// that have left the log so far.
///
/// No other process may write to the log meanwhile. A move that was stopped at any point continues
/// from there when it runs again.
///
/// # Errors
/// The log is in use, a file cannot be read or written, or the other engine accepts nothing.
pub fn move_history(
    path: &Path,
    into: &dyn Passage,
    random: &dyn Random,
    tell: &mut dyn FnMut(u64),
) -> Result<Moved, TransferError> {
    let _alone = take_alone(path)?;
    let mut log = open_writer(path)?;
    log.busy_timeout(TIMEOUT)?;
    log.execute_batch(LEAVING)?;

    let mut moved = Moved::default();
    let mut pass_on = |log: &Connection, moved: &mut Moved| {
        while let Some(batch) = handover::waiting(log)? {
            into.wait_for_room()?;
            handover::hand_over(into, &batch)?;
            handover::forget(log, &batch)?;
            moved.visits += batch.visits;
            tell(moved.visits);
        }
        Ok::<(), TransferError>(())
    };
    pass_on(&log, &mut moved)?;
    // They come before the visits, so that no answer is exact that must not be, and leave the log
    // after them, because a move may stop in between.
    into.take_sampled(&sampled::table::all(&log)?)?;
    while seal_before(&mut log, FAR_DAY, ROWS)? {}
    // Several days of a quiet site leave together.
    let (mut chunks, mut visits) = (Vec::new(), Vec::new());
    let all = all_chunks(&mut log).map_err(unreadable)?;
    for chunk in all {
        match visits_of_chunk(&mut log, chunk) {
            Ok(of_chunk) => {
                chunks.push(chunk);
                visits.extend(of_chunk);
            }
            Err(error) if error.is_damage() => moved.damaged.push(in_words(&error)),
            Err(error) => return Err(unreadable(error)),
        }
        if visits.len() >= ROWS {
            handover::take_chunks(&log, &chunks, &visits, into, random)?;
            chunks.clear();
            visits.clear();
            pass_on(&log, &mut moved)?;
        }
    }
    handover::take_chunks(&log, &chunks, &visits, into, random)?;
    handover::take_losses(&log, random)?;
    pass_on(&log, &mut moved)?;
    into.finish()?;
    sampled::table::clear(&log)?;
    while give_back(&log)? {}
    Ok(moved)
}

/// A day after every visit.
const FAR_DAY: i64 = i64::MAX / 86_400_000;

/// Returns whether an embedded log has visits; `false` if there is no file.
///
/// # Errors
/// The file cannot be read, or is something else.
pub fn history_in(path: &Path) -> Result<bool, TransferError> {
    if !path.exists() {
        return Ok(false);
    }
    let log = open_to_examine(&ACCESS_LOG, path)?;
    let some = |table: &str| -> Result<bool, rusqlite::Error> {
        if !log.table_exists(None, table)? {
            return Ok(false);
        }
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
        log.query_row(&sql, [], |row| row.get(0))
    };
    Ok(tail::len(&log)? > 0 || some("chunk")? || some("leaving")?)
}

fn unreadable(error: EngineError) -> TransferError {
    TransferError::Unreadable(Box::new(error))
}

fn in_words(error: &EngineError) -> String {
    let mut text = error.to_string();
    if let Some(cause) = std::error::Error::source(error) {
        text = format!("{text}: {cause}");
    }
    text
}
