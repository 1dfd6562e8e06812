//! Removes the visits of marked links from the file.
//!
//! A pass begins when there are marks. It seals the tail, rewrites each chunk that has such rows
//! without them, returns free pages to the file system, and removes the marks. Each step is a
//! bounded piece of work. After an error or a restart the pass starts again; a chunk without such
//! rows costs only a look at its links.

use std::{collections::HashSet, error::Error as StdError};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use slugline_analytics::{journal::open::give_all_back, utc::MILLIS_PER_DAY};
use slugline_domain::UnixMillis;

use super::PAUSE_MS;
use crate::{
    file::{chunk::Chunk, erasure, error::EngineError, seal, tail},
    format::{block::Block, block_builder::BlockBuilder},
};

/// The most chunks whose links one step reads.
const LOOKS: u32 = 32;

/// No row is later than this day.
const LAST_DAY: i64 = i64::MAX / MILLIS_PER_DAY;

/// The passes, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Erasing {
    pass: Option<Pass>,
    stuck: Option<Stuck>,
}

/// Marks that a pass could not finish, because chunks or batches are damaged. Answers leave these
/// chunks and batches out anyway, and retention or a rebuild removes them.
#[derive(Debug)]
struct Stuck {
    marks: HashSet<i64>,
    since_ms: i64,
}

#[derive(Debug)]
struct Pass {
    marks: HashSet<i64>,
    next: Next,
    /// True if a damaged chunk or batch may have rows of the marks.
    met_damage: bool,
}

#[derive(Debug)]
enum Next {
    SealTail,
    /// Read the links of chunks with larger numbers.
    Chunks {
        after: i64,
    },
    GiveBack,
    End,
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There are no marks.
    Idle,
    /// True if there is more to do.
    More,
    /// The rows are gone from the database, but the write-ahead log may still contain them.
    Erased,
}

impl Erasing {
    /// Takes one step.
    pub(crate) fn step(
        &mut self,
        db: &mut Connection,
        now: UnixMillis,
        rows_per_chunk: usize,
    ) -> Result<Progress, EngineError> {
        // An error drops the pass, and the next step begins another one.
        let Some(mut pass) = self.pass.take() else {
            return self.begin(db, now);
        };
        pass.next = match pass.next {
            Next::SealTail => {
                // Sealing drops the rows. No further rows can come, because no link has the
                // numbers.
                while seal::seal_before(db, LAST_DAY, rows_per_chunk)? {}
                pass.met_damage = tail::has_set_aside(db)?;
                Next::Chunks { after: i64::MIN }
            }
            Next::Chunks { after } => pass.look(db, after)?,
            Next::GiveBack if give_all_back(db)? => Next::GiveBack,
            Next::GiveBack => Next::End,
            Next::End => {
                self.end(db, now, pass)?;
                return Ok(Progress::Erased);
            }
        };
        self.pass = Some(pass);
        Ok(Progress::More)
    }

    fn begin(&mut self, db: &Connection, now: UnixMillis) -> Result<Progress, EngineError> {
        let marks = erasure::marked(db)?;
        let known = |stuck: &Stuck| {
            let recent = now.get().abs_diff(stuck.since_ms) < PAUSE_MS.unsigned_abs();
            recent && marks.is_subset(&stuck.marks)
        };
        if marks.is_empty() || self.stuck.as_ref().is_some_and(known) {
            return Ok(Progress::Idle);
        }
        self.pass = Some(Pass {
            marks,
            next: Next::SealTail,
            met_damage: false,
        });
        Ok(Progress::More)
    }

    fn end(&mut self, db: &mut Connection, now: UnixMillis, pass: Pass) -> Result<(), EngineError> {
        if pass.met_damage {
            self.stuck = Some(Stuck {
                marks: pass.marks,
                since_ms: now.get(),
            });
        } else {
            erasure::finish(db, &pass.marks)?;
        }
        Ok(())
    }
}

impl Pass {
    /// Reads the links of some chunks, and rewrites the first chunk that has rows of the marks.
    fn look(&mut self, db: &mut Connection, after: i64) -> Result<Next, EngineError> {
        let (mut last, mut holding) = (None, None);
        let sql = format!(
            "SELECT {} FROM chunk WHERE id > ?1 ORDER BY id LIMIT {LOOKS}",
            Chunk::COLUMNS
        );
        let mut statement = db.prepare_cached(&sql)?;
        let mut rows = statement.query([after])?;
        while let (None, Some(row)) = (holding, rows.next()?) {
            let id = row.get(0)?;
            last = Some(id);
            let links = Chunk::read(db, row).and_then(|chunk| chunk.links());
            match links {
                Ok(links) => {
                    let holds = links.links().iter().any(|link| self.marks.contains(link));
                    holding = holds.then_some(id);
                }
                Err(error) => self.skip(id, error)?,
            }
        }
        drop(rows);
        drop(statement);
        if let Some(id) = holding
            && let Err(error) = rewrite(db, id)
        {
            self.skip(id, error)?;
        }
        Ok(match last {
            Some(after) => Next::Chunks { after },
            None => Next::GiveBack,
        })
    }

    /// Continues after a chunk if it is damaged.
    fn skip(&mut self, chunk: i64, error: EngineError) -> Result<(), EngineError> {
        if !error.is_damage() {
            return Err(error);
        }
        self.met_damage = true;
        let error: &(dyn StdError + 'static) = &error;
        tracing::warn!(
            error,
            chunk,
            "visits cannot be erased from a damaged chunk, which answers leave out; \
             `slugline doctor` says how to rebuild the access log without them"
        );
        Ok(())
    }
}

/// Rewrites a chunk without the rows of marked links. It keeps its number, unless no row is left.
fn rewrite(db: &mut Connection, id: i64) -> Result<(), EngineError> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let sql = format!("SELECT {} FROM chunk WHERE id = ?1", Chunk::COLUMNS);
    let block = tx
        .prepare_cached(&sql)?
        .query_row([id], |row| {
            Ok(Chunk::read(&tx, row).and_then(|chunk| Block::whole(&chunk)))
        })
        .optional()?
        .transpose()?;
    // Another process may have done it first.
    let Some(block) = block else {
        return Ok(());
    };
    let mut draft = BlockBuilder::default();
    draft.append(&block);
    tx.prepare_cached("DELETE FROM chunk WHERE id = ?1")?
        .execute([id])?;
    seal::write(&tx, &draft, Some(id))?;
    tx.commit()?;
    Ok(())
}
