//! The pass over the rows of a question.

use std::{
    sync::mpsc::{self, Receiver},
    thread,
};

use slugline_analytics::tally::Damaged;
use slugline_domain::RowLimit;

use super::{concealment::RowVisibility, filter::RowFilter, plan::Plan};
use crate::{
    file::{chunk::Chunk, error::EngineError, snapshot::Snapshot, tail},
    format::{
        block::{Block, Column},
        chunk::Span,
        selection::{Selection, index},
        values::Values,
    },
};

/// The number of rows of the tail in one block.
const TAIL_BLOCK_ROWS: usize = 65_536;

/// The number of blocks that wait to be added, of some 3 MB each.
const BLOCKS_AHEAD: usize = 2;

/// The columns and rows that a question reads, among those that meet its conditions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScanRequest<'q> {
    pub(crate) columns: &'q [Column],
    /// Limits each block to its latest rows, with their times. Rows of the same moment as the last
    /// one are included.
    pub(crate) latest: Option<RowLimit>,
}

impl ScanRequest<'_> {
    /// The columns of texts.
    fn texts(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().filter_map(|column| match column {
            Column::Text(text) | Column::Different(text) | Column::Entries(text) => Some(*text),
            Column::Time | Column::Interval | Column::Coherent | Column::Link | Column::Visitor => {
                None
            }
        })
    }
}

impl Snapshot<'_> {
    /// Passes the rows that a plan scans to `see`, block by block with the columns asked for.
    ///
    /// `see` runs on a thread of its own; while it adds one block, this reads the next ones.
    pub(crate) fn scan(
        &self,
        plan: &Plan<'_>,
        columns: &[Column],
        see: impl FnMut(&Block) -> Result<(), EngineError> + Send,
    ) -> Result<(), EngineError> {
        thread::scope(|scope| {
            let (hand_over, blocks) = mpsc::sync_channel(BLOCKS_AHEAD);
            let adding = thread::Builder::new()
                .name("access-log-sums".into())
                .spawn_scoped(scope, move || add_up(blocks, see))
                .map_err(EngineError::Thread)?;
            let asked = ScanRequest {
                columns,
                latest: None,
            };
            let read = self.scan_back(plan, asked, |block, _| {
                // The receiver is gone if adding has failed.
                hand_over.send(block).map_err(|_| EngineError::Panicked)?;
                Ok(i64::MIN)
            });
            drop(hand_over);
            adding.join().map_err(|_| EngineError::Panicked)??;
            read
        })
    }

    /// The rows of a chunk that meet the conditions, with the columns asked for, in one or two
    /// blocks; none if the chunk was deleted.
    pub(crate) fn chunk(
        &self,
        id: i64,
        filter: &RowFilter,
        columns: &[Column],
    ) -> Result<Vec<Block>, EngineError> {
        let mut statement = self.db().prepare_cached(&format!(
            "SELECT {} FROM chunk WHERE id = ?1",
            Chunk::COLUMNS
        ))?;
        let mut found = statement.query([id])?;
        let Some(row) = found.next()? else {
            return Ok(Vec::new());
        };
        let asked = ScanRequest {
            columns,
            latest: None,
        };
        let chunk = Chunk::read(self.db(), row)?;
        let (_, parts) = filter.parts(asked.texts());
        parts
            .iter()
            .map(|part| read(&chunk, filter, asked, *part, i64::MIN))
            .collect()
    }

    /// The numbers of the chunks that may have rows which meet the conditions.
    pub(crate) fn chunk_ids(&self, filter: &RowFilter) -> Result<Vec<i64>, EngineError> {
        let (from, until) = filter.time_range();
        let ids = self
            .db()
            .prepare_cached("SELECT id FROM chunk WHERE max_ts >= ?1 AND min_ts <= ?2 ORDER BY id")?
            .query_map([from, until], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        Ok(ids)
    }

    /// Passes the tail and then the chunks to `see`, later ones first, until only rows from before
    /// the moment that `see` returned last remain. Leaves damaged chunks out, and those that `see`
    /// finds damaged.
    pub(crate) fn scan_back(
        &self,
        plan: &Plan<'_>,
        asked: ScanRequest<'_>,
        mut see: impl FnMut(Block, Option<&Chunk<'_>>) -> Result<i64, EngineError>,
    ) -> Result<(), EngineError> {
        let filter = plan.filter();
        let mut interesting_from = i64::MIN;
        let mut after = i64::MIN;
        let (first, last) = filter.time_range();
        let (texts, parts) = filter.parts(asked.texts());
        loop {
            self.deadline.check()?;
            let range = (first, last);
            let portion = tail::read(self.db(), &texts, range, after, TAIL_BLOCK_ROWS)?;
            match portion.last {
                Some(last) => after = last,
                None => break,
            }
            for (batch, rows, error) in portion.damaged {
                self.leave_out(Damaged::Batch(batch), rows, error)?;
            }
            // All but the last one are clones.
            let blocks = vec![portion.draft.into_block(); parts.len()];
            for (mut block, part) in blocks.into_iter().zip(parts) {
                filter.narrow(&mut block, None, *part)?;
                if let Some(limit) = asked.latest {
                    let latest = latest(&block.time, limit, interesting_from);
                    block.keep(&latest);
                }
                if block.rows > 0 {
                    interesting_from = see(block, None)?;
                }
            }
        }

        for listed in self.chunks(plan.spans_back())? {
            #[cfg(test)]
            if let Some(crate::file::snapshot::OnChunk(call)) = &*self.on_chunk.borrow() {
                call();
            }
            self.deadline.check()?;
            if listed.span.max_ts < interesting_from {
                break;
            }
            let mut seen = || {
                let sql = format!("SELECT {} FROM chunk WHERE id = ?1", Chunk::COLUMNS);
                let mut statement = self.db().prepare_cached(&sql)?;
                let mut found = statement.query([listed.id])?;
                let Some(row) = found.next()? else {
                    return Ok(());
                };
                let chunk = Chunk::read(self.db(), row)?;
                let read =
                    |part: &RowVisibility| read(&chunk, filter, asked, *part, interesting_from);
                // A question sees no part of a damaged chunk.
                let blocks: Vec<Block> = parts.iter().map(read).collect::<Result<_, _>>()?;
                for block in blocks.into_iter().filter(|block| block.rows > 0) {
                    interesting_from = see(block, Some(&chunk))?;
                }
                Ok(())
            };
            if let Err(error) = seen() {
                self.leave_out(Damaged::Chunk(listed.id), listed.span.rows, error)?;
            }
        }
        Ok(())
    }

    /// The chunks that may have rows of some time ranges. Later ranges come first, and later chunks
    /// of each range.
    fn chunks(&self, ranges: &[(i64, i64)]) -> Result<Vec<Listed>, rusqlite::Error> {
        let mut statement = self.db().prepare_cached(
            "SELECT id, n, min_ts, max_ts FROM chunk \
             WHERE max_ts >= ?1 AND min_ts <= ?2 ORDER BY max_ts DESC",
        )?;
        let listed = |row: &rusqlite::Row<'_>| {
            Ok(Listed {
                id: row.get(0)?,
                span: Span {
                    rows: row.get(1)?,
                    min_ts: row.get(2)?,
                    max_ts: row.get(3)?,
                },
            })
        };
        let mut chunks = Vec::new();
        for &(first, last) in ranges {
            for chunk in statement.query_map([first, last], listed)? {
                chunks.push(chunk?);
            }
        }
        Ok(chunks)
    }
}

/// A chunk that is to be read.
#[derive(Clone, Copy, Debug)]
struct Listed {
    id: i64,
    span: Span,
}

/// Reads the rows of a part of a chunk that meet the conditions. It reads the columns of the
/// conditions first, because often no row is left for the others.
fn read(
    chunk: &Chunk<'_>,
    filter: &RowFilter,
    asked: ScanRequest<'_>,
    part: RowVisibility,
    interesting_from: i64,
) -> Result<Block, EngineError> {
    let mut block = Block {
        rows: index(chunk.span().rows),
        // The tail came before, and chunks are in this order.
        no_later_than: Some(chunk.span().max_ts),
        ..Block::default()
    };
    let mut rows = filter.narrow(&mut block, Some(chunk), part)?;
    if block.rows > 0
        && let Some(limit) = asked.latest
    {
        block.load(chunk, Column::Time, &rows)?;
        let latest = latest(&block.time, limit, interesting_from);
        block.keep(&latest);
        rows.keep(&latest);
    }
    if block.rows > 0 {
        for &column in asked.columns {
            block.load(chunk, column, &rows)?;
        }
    }
    Ok(block)
}

/// The rows that may be among the latest: from a moment on, and not before the last of the latest.
fn latest(times: &Values<i64>, limit: RowLimit, interesting_from: i64) -> Selection {
    let mut from = interesting_from;
    if let Values::Each(times) = times
        && let Some(surplus) = times.len().checked_sub(limit.as_usize())
    {
        let mut times = times.clone();
        let (_, last, _) = times.select_nth_unstable(surplus);
        from = from.max(*last);
    }
    times.select(|time| time >= from)
}

/// Passes every block to `see`.
fn add_up(
    blocks: Receiver<Block>,
    mut see: impl FnMut(&Block) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    for block in blocks {
        see(&block)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        file::{limits::Deadline, schema, seal},
        format::{block::Numbers, block_builder::BlockBuilder},
        tests::rows::row,
    };

    #[test]
    fn what_goes_wrong_while_adding_up_ends_the_question() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        // More blocks than may wait.
        for day in 0..10 {
            let mut draft = BlockBuilder::default();
            draft.push(Numbers::of(&row(day * 86_400_000, 1), 1), &row(0, 1));
            seal::write(&db, &draft, None).unwrap();
        }
        let deadline = Deadline::after(Duration::from_mins(1));
        let snapshot = Snapshot::take(&mut db, deadline).unwrap();
        let mut seen = 0;
        let failed = snapshot.scan(
            &Plan::of_rows(&RowFilter::default()),
            &[Column::Time],
            |_| {
                seen += 1;
                Err(EngineError::Dangling { link: 7 })
            },
        );
        assert!(matches!(failed, Err(EngineError::Dangling { link: 7 })));
        assert_eq!(seen, 1);

        let panicked = snapshot.scan(
            &Plan::of_rows(&RowFilter::default()),
            &[Column::Time],
            |_| panic!("as a test"),
        );
        assert!(matches!(panicked, Err(EngineError::Panicked)));
    }

    #[test]
    fn a_scan_ends_at_its_deadline() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        tail::insert(&db, &row(0, 1), 1).unwrap();
        let late = Deadline::after(Duration::ZERO);
        assert!(Snapshot::take(&mut db, late.clone()).is_err());

        let mut snapshot =
            Snapshot::take(&mut db, Deadline::after(Duration::from_mins(1))).unwrap();
        let scan = |snapshot: &Snapshot<'_>| {
            snapshot.scan(
                &Plan::of_rows(&RowFilter::default()),
                &[Column::Time],
                |_| Ok(()),
            )
        };
        scan(&snapshot).unwrap();
        snapshot.deadline = late;
        assert_eq!(
            scan(&snapshot).unwrap_err().to_string(),
            "no answer within 0 ms"
        );
    }
}
