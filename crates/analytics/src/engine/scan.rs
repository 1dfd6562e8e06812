//! The pass over all rows that a question is about.

use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction};
use slugline_domain::SamplingInterval;

use super::{
    answer::number,
    block::{Block, ChunkHead},
    column::Column,
    error::EngineError,
    filter::RowFilter,
    selection::{Selection, index},
    tail,
};

/// Rows of the tail that are looked at in one go.
const TAIL_BLOCK_ROWS: usize = 65_536;

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    pub(super) at: Instant,
    limit: Duration,
}

impl Deadline {
    pub(super) fn after(limit: Duration) -> Self {
        Self {
            at: Instant::now() + limit,
            limit,
        }
    }

    pub(super) fn check(self) -> Result<(), EngineError> {
        if Instant::now() < self.at {
            Ok(())
        } else {
            Err(self.exceeded())
        }
    }

    pub(super) fn exceeded(self) -> EngineError {
        EngineError::Deadline { limit: self.limit }
    }
}

/// The log as it is at one moment: everything is read in one transaction, so
/// rows that are sealed meanwhile are neither missed nor counted twice.
#[derive(Debug)]
pub(super) struct Snapshot<'c> {
    tx: Transaction<'c>,
    deadline: Deadline,
}

impl<'c> Snapshot<'c> {
    pub(super) fn take(db: &'c mut Connection, deadline: Deadline) -> Result<Self, EngineError> {
        // The question may have waited for a thread.
        deadline.check()?;
        Ok(Self {
            tx: db.transaction()?,
            deadline,
        })
    }

    pub(super) fn db(&self) -> &Connection {
        &self.tx
    }

    /// How many rows there are at most that meet the conditions.
    pub(super) fn rows_at_most(&self, filter: &RowFilter) -> Result<u64, rusqlite::Error> {
        let (from, until) = filter.time_range();
        let in_chunks: i64 = self.tx.query_row(
            "SELECT coalesce(sum(n), 0) FROM chunk WHERE max_ts >= ?1 AND min_ts <= ?2",
            [from, until],
            |row| row.get(0),
        )?;
        Ok(in_chunks.unsigned_abs() + number(tail::len(&self.tx)?))
    }

    /// Hands over block after block of the rows that meet the conditions, and
    /// says what the largest interval among those rows was. The blocks have the
    /// columns asked for.
    pub(super) fn scan(
        &self,
        filter: &RowFilter,
        columns: &[Column],
        mut see: impl FnMut(&Block) -> Result<(), EngineError>,
    ) -> Result<SamplingInterval, EngineError> {
        let mut interval_max = SamplingInterval::EVERY;
        let mut columns = columns.to_vec();
        columns.push(Column::Interval);
        self.scan_back(filter, &columns, |block| {
            let largest = block.interval.iter().max().copied();
            let largest = largest.and_then(SamplingInterval::new);
            interval_max = interval_max.max(largest.unwrap_or(interval_max));
            see(block)?;
            Ok(i64::MIN)
        })?;
        Ok(interval_max)
    }

    /// Hands over the tail and then chunk after chunk, later ones first, until
    /// there are only rows of before the moment that `see` gave last.
    pub(super) fn scan_back(
        &self,
        filter: &RowFilter,
        columns: &[Column],
        mut see: impl FnMut(&Block) -> Result<i64, EngineError>,
    ) -> Result<(), EngineError> {
        let mut interesting_from = i64::MIN;
        let mut after = i64::MIN;
        loop {
            self.deadline.check()?;
            let mut portion = tail::read(&self.tx, after, TAIL_BLOCK_ROWS)?;
            match portion.last {
                Some(last) => after = last,
                None => break,
            }
            portion.block.keep(&filter.select(&portion.block));
            if portion.block.rows > 0 {
                interesting_from = see(&portion.block)?;
            }
        }

        let mut statement = self.tx.prepare_cached(&format!(
            "SELECT {} FROM chunk WHERE max_ts >= ?1 AND min_ts <= ?2 ORDER BY max_ts DESC",
            ChunkHead::COLUMNS
        ))?;
        let (from, until) = filter.time_range();
        let mut chunks = statement.query([from, until])?;
        while let Some(row) = chunks.next()? {
            self.deadline.check()?;
            let head = ChunkHead::read(row)?;
            if head.span.max_ts < interesting_from {
                break;
            }
            let block = self.read(head, filter, columns)?;
            if block.rows > 0 {
                interesting_from = see(&block)?;
            }
        }
        Ok(())
    }

    /// The rows of a chunk that meet the conditions. Columns that conditions
    /// are about are read first: often they leave nothing to read of others.
    fn read(
        &self,
        head: ChunkHead,
        filter: &RowFilter,
        columns: &[Column],
    ) -> Result<Block, EngineError> {
        let filter = filter.within(head.span.min_ts, head.span.max_ts);
        let mut block = Block {
            rows: index(head.span.rows),
            ..Block::default()
        };
        let conditions: Vec<Column> = filter.columns().collect();
        block.add(&self.tx, head, &conditions, &Selection::All)?;
        let rows = filter.select(&block);
        block.keep(&rows);
        if !rows.is_empty() {
            let mut others: Vec<Column> = Vec::new();
            for &column in columns {
                if !conditions.contains(&column) && !others.contains(&column) {
                    others.push(column);
                }
            }
            block.add(&self.tx, head, &others, &rows)?;
        }
        Ok(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::schema;

    #[test]
    fn a_scan_ends_at_its_deadline() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        db.execute_batch("INSERT INTO tail VALUES (1, 0, 0, 0, 0, 0, 0, 0, 1, 1)")
            .unwrap();
        let late = Deadline::after(Duration::ZERO);
        assert!(Snapshot::take(&mut db, late).is_err());

        let mut snapshot =
            Snapshot::take(&mut db, Deadline::after(Duration::from_mins(1))).unwrap();
        let scan = |snapshot: &Snapshot<'_>| {
            snapshot.scan(&RowFilter::default(), &[Column::Time], |_| Ok(()))
        };
        scan(&snapshot).unwrap();
        snapshot.deadline = late;
        assert_eq!(
            scan(&snapshot).unwrap_err().to_string(),
            "no answer within 0 ms"
        );
    }
}
