//! Rows of the embedded engine: the tail and everything that keeps it short.

use std::{error::Error as StdError, fs::File, sync::Arc};

use rusqlite::Connection;
use slugline_analytics::{
    Pressure, QueryLimits, RecorderOptions, SaltPeriod,
    journal::row_table::{Maintained, RowTable},
    row::Row,
    utc,
};
use slugline_domain::{LinkId, UnixMillis};
use tokio::sync::oneshot;

use super::{
    erasure,
    limits::QueryPermits,
    links::Links,
    salted_days::SaltedDays,
    seal, tail,
    upkeep::{
        Upkeep,
        erase::{Erasing, Progress},
    },
    wal_length::WalLength,
};
use crate::format::{batch, block::Numbers, block_builder::BlockBuilder};

#[derive(Debug)]
pub(crate) struct EmbeddedRows {
    links: Links,
    days: SaltedDays,
    upkeep: Upkeep,
    erasing: Erasing,
    wal_length: WalLength,
    rows_per_chunk: usize,
    /// Marks the log as being written, until it is dropped.
    _lock: Option<File>,
}

impl EmbeddedRows {
    /// Bounds the log whose questions take these permits.
    pub(crate) fn new(options: &RecorderOptions, permits: Arc<QueryPermits>) -> Self {
        let rows_per_chunk = options.rows_per_chunk.clamp(1, batch::ROWS_MAX);
        Self {
            links: Links::default(),
            days: SaltedDays::new(options.salt_period == SaltPeriod::Day),
            erasing: Erasing::default(),
            upkeep: Upkeep::new(options.retention_days, rows_per_chunk),
            wal_length: WalLength::new(permits),
            rows_per_chunk,
            _lock: None,
        }
    }

    /// Adds the lock of writers.
    pub(crate) fn with_lock(self, lock: File) -> Self {
        Self {
            _lock: Some(lock),
            ..self
        }
    }

    /// For imported rows, whose salt period is unknown. This process answers no questions.
    pub(crate) fn of_others(options: &RecorderOptions) -> Self {
        let permits = Arc::new(QueryPermits::under(QueryLimits::default()));
        Self {
            days: SaltedDays::new(false),
            ..Self::new(options, permits)
        }
    }
}

impl RowTable for EmbeddedRows {
    /// There is always room: an append waits for the disk.
    fn has_room(&mut self, _: &Connection) -> Result<bool, rusqlite::Error> {
        Ok(true)
    }

    /// A large batch becomes a chunk at once, because passing through the tail would cost three
    /// times as much.
    fn insert(
        &mut self,
        db: &Connection,
        rows: &mut dyn Iterator<Item = Row<'_>>,
    ) -> Result<(), rusqlite::Error> {
        self.links.follow(db)?;
        let mut draft = BlockBuilder::default();
        for row in rows {
            let link = self.links.number(db, row.target.link_id)?;
            draft.push(Numbers::of(&row, link), &row);
        }
        let times = draft.rows.iter().map(|(numbers, _)| numbers.time);
        self.days.note(db, times.map(utc::day_of))?;
        if draft.len() >= self.rows_per_chunk {
            seal::write(db, &draft, None)
        } else {
            tail::append(db, &draft)
        }
    }

    fn settle(&mut self, durable: bool) {
        self.links.settle(durable);
        self.days.settle(durable);
    }

    /// Marks the visits. Every question leaves marked visits out.
    fn erase(
        &mut self,
        db: &Connection,
        link: &LinkId,
        _: UnixMillis,
        done: oneshot::Sender<()>,
    ) -> Result<(), rusqlite::Error> {
        self.links.forget();
        erasure::mark(db, link)?;
        // The caller may have hung up.
        let _ = done.send(());
        Ok(())
    }

    /// Seals full tails and takes a step: of an erasure if there is one, or else of the upkeep.
    fn maintain(&mut self, db: &mut Connection, now: UnixMillis) -> Maintained {
        if let Err(error) = seal::seal(db, self.rows_per_chunk) {
            let error: &(dyn StdError + 'static) = &error;
            tracing::warn!(error, "the tail of the access log cannot be sealed yet");
        }
        // Comes before anything that takes long.
        let waits = self.wal_length.bound(db);
        match self.erasing.step(db, now, self.rows_per_chunk) {
            Ok(Progress::Idle) => {}
            Ok(progress) => {
                return Maintained {
                    more: true,
                    erased: progress == Progress::Erased,
                };
            }
            Err(error) => {
                let error: &(dyn StdError + 'static) = &error;
                tracing::warn!(
                    error,
                    "visits cannot be erased from the access log's file yet"
                );
            }
        }
        let more = self.upkeep.step(db, now).unwrap_or_else(|error| {
            let error: &(dyn StdError + 'static) = &error;
            tracing::warn!(error, "the access log cannot be tidied up yet");
            false
        });
        Maintained {
            more: more || waits,
            erased: false,
        }
    }

    fn salts_changed(&mut self) -> bool {
        false
    }

    fn pressure(&self) -> Pressure {
        Pressure::Low
    }
}
