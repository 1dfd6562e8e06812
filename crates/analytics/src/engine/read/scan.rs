//! The pass over all rows that a question is about.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver},
    },
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, Transaction};
use slugline_domain::{RowLimit, SamplingInterval};

use super::{
    block::{Block, Chunk},
    filter::RowFilter,
    memory::QuestionMemory,
    renewals::{Lease, Renewals},
    selection::{Selection, index},
    values::Values,
};
use crate::engine::store::{
    chunk::Span,
    columns::{Column, TEXTS},
    error::EngineError,
    tail,
};
use crate::tally::Damaged;

/// Rows of the tail that are looked at in one go.
const TAIL_BLOCK_ROWS: usize = 65_536;

/// Blocks that wait to be added up, of some 3 MB each.
const BLOCKS_AHEAD: usize = 2;

/// When to give up: at a moment, or as soon as nobody waits for the answer.
#[derive(Clone, Debug)]
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    limit: Duration,
    abandoned: Arc<AtomicBool>,
}

/// Somebody waits for an answer, as long as this is there.
#[derive(Debug)]
pub(crate) struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Deadline {
    pub(crate) fn after(limit: Duration) -> Self {
        Self {
            at: Instant::now() + limit,
            limit,
            abandoned: Arc::default(),
        }
    }

    /// Belongs to who waits for the answer.
    pub(crate) fn waiting(&self) -> Waiting {
        Waiting(Arc::clone(&self.abandoned))
    }

    pub(crate) fn check(&self) -> Result<(), EngineError> {
        if Instant::now() < self.at && !self.abandoned.load(Ordering::Relaxed) {
            Ok(())
        } else {
            Err(self.exceeded())
        }
    }

    pub(crate) fn exceeded(&self) -> EngineError {
        EngineError::Deadline { limit: self.limit }
    }

    /// Has SQLite give up in time whatever it is doing.
    fn limit(&self, db: &Connection) -> Result<(), rusqlite::Error> {
        /// SQLite's instructions from one look at the time to the next, some
        /// tenths of a millisecond.
        const INSTRUCTIONS: i32 = 10_000;
        let deadline = self.clone();
        db.progress_handler(INSTRUCTIONS, Some(move || deadline.check().is_err()))
    }

    /// The error to return if SQLite has given up.
    pub(crate) fn explain(&self, error: EngineError) -> EngineError {
        if let EngineError::Sqlite(cause) = &error
            && cause.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
        {
            return self.exceeded();
        }
        error
    }
}

/// The columns and rows that a question reads of those that meet its conditions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'q> {
    pub(crate) columns: &'q [Column],
    /// Of each block only so many latest rows, and others of the last one's
    /// moment, with their times.
    pub(crate) latest: Option<RowLimit>,
}

/// The log as it is at one moment: everything is read in one transaction, so
/// rows that are sealed meanwhile are neither missed nor counted twice. Where the writer asks
/// for a break, a pass over the rows is of one moment all the same, but for what retention
/// deletes; several passes of a question are of several moments then.
#[derive(Debug)]
pub(crate) struct Snapshot<'c> {
    db: &'c Connection,
    /// Ends with the snapshot.
    tx: RefCell<Option<Transaction<'c>>>,
    lease: Option<RefCell<Lease>>,
    /// The last time it waited for the end of a break.
    waited: Cell<Option<Instant>>,
    deadline: Deadline,
    memory: QuestionMemory,
    /// The chunks and batches that were left out.
    damaged: RefCell<BTreeMap<Damaged, Damage>>,
    /// Called before each chunk.
    #[cfg(test)]
    pub(crate) on_chunk: RefCell<Option<OnChunk>>,
}

#[cfg(test)]
pub(crate) struct OnChunk(pub(crate) Box<dyn Fn()>);

#[cfg(test)]
impl std::fmt::Debug for OnChunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnChunk")
    }
}

/// Why a chunk or batch was left out.
#[derive(Debug)]
pub(crate) struct Damage {
    /// The number of rows that its record states.
    pub(crate) rows: u32,
    pub(crate) error: EngineError,
}

impl<'c> Snapshot<'c> {
    pub(crate) fn take(db: &'c Connection, deadline: Deadline) -> Result<Self, EngineError> {
        // The question may have waited for a thread.
        deadline.check()?;
        deadline.limit(db)?;
        Ok(Self {
            db,
            tx: RefCell::new(Some(db.unchecked_transaction()?)),
            lease: None,
            waited: Cell::default(),
            deadline,
            memory: QuestionMemory::default(),
            damaged: RefCell::default(),
            #[cfg(test)]
            on_chunk: RefCell::default(),
        })
    }

    /// The same, which takes a break when it is asked for one. Nothing was read yet.
    pub(crate) fn with_breaks(self, renewals: &Arc<Renewals>) -> Self {
        Self {
            lease: Some(RefCell::new(Lease::new(renewals))),
            ..self
        }
    }

    /// Takes a break if it is asked for: its transaction ends, and another one begins.
    fn take_break(&self) -> Result<(), EngineError> {
        /// The most it waits for the end of the break, as two questions should take it at the
        /// same time, and only once a second.
        const LONGEST: Duration = Duration::from_millis(200);
        const FROM_ONE_TO_THE_NEXT: Duration = Duration::from_secs(1);
        const LOOK: Duration = Duration::from_millis(5);

        let Some(lease) = &self.lease else {
            return Ok(());
        };
        if !lease.borrow().is_break_wanted() || !lease.borrow_mut().let_go() {
            return Ok(());
        }
        drop(self.tx.borrow_mut().take());
        let begun = Instant::now();
        let waits = self
            .waited
            .get()
            .is_none_or(|at| begun - at > FROM_ONE_TO_THE_NEXT);
        if waits {
            self.waited.set(Some(begun));
        }
        while waits && lease.borrow().is_break_wanted() && begun.elapsed() < LONGEST {
            self.deadline.check()?;
            thread::sleep(LOOK);
        }
        *self.tx.borrow_mut() = Some(self.db.unchecked_transaction()?);
        Ok(())
    }

    /// True if it may have read the log as it was at several moments.
    pub(crate) fn has_taken_breaks(&self) -> bool {
        let lease = self.lease.as_ref();
        lease.is_some_and(|lease| lease.borrow().is_loose())
    }

    /// The same with another share of the memory.
    pub(crate) fn with_memory(self, memory: QuestionMemory) -> Self {
        Self { memory, ..self }
    }

    /// The bytes that the question may take.
    pub(crate) fn memory(&self) -> QuestionMemory {
        self.memory
    }

    pub(crate) fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    pub(crate) fn db(&self) -> &Connection {
        self.db
    }

    /// Fails when it is time to give up.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        self.deadline.check()
    }

    /// The chunks and batches that were left out so far.
    pub(crate) fn damaged(&self) -> std::cell::Ref<'_, BTreeMap<Damaged, Damage>> {
        self.damaged.borrow()
    }

    /// The rows of chunks and batches that were left out so far.
    pub(crate) fn damaged_rows(&self) -> u64 {
        let damaged = self.damaged.borrow();
        damaged.values().map(|damage| u64::from(damage.rows)).sum()
    }

    /// Leaves something out if it is damaged: the rest of the log has an answer
    /// all the same.
    fn leave_out(&self, what: Damaged, rows: u32, error: EngineError) -> Result<(), EngineError> {
        if !error.is_damage() {
            return Err(error);
        }
        let mut damaged = self.damaged.borrow_mut();
        damaged.entry(what).or_insert(Damage { rows, error });
        Ok(())
    }

    /// Hands over block after block of the rows that meet the conditions, and
    /// says what the largest interval among those rows was. The blocks have the
    /// columns asked for.
    ///
    /// `see` runs on a thread of its own, and while it adds one block up, the
    /// next ones are read.
    pub(crate) fn scan(
        &self,
        filter: &RowFilter,
        columns: &[Column],
        see: impl FnMut(&Block) -> Result<(), EngineError> + Send,
    ) -> Result<SamplingInterval, EngineError> {
        let mut columns = columns.to_vec();
        if !columns.contains(&Column::Interval) {
            columns.push(Column::Interval);
        }
        thread::scope(|scope| {
            let (hand_over, blocks) = mpsc::sync_channel(BLOCKS_AHEAD);
            let adding = thread::Builder::new()
                .name("access-log-sums".into())
                .spawn_scoped(scope, move || add_up(blocks, see))
                .map_err(EngineError::Thread)?;
            let asked = Asked {
                columns: &columns,
                latest: None,
            };
            let read = self.scan_back(filter, asked, |block, _| {
                // Nobody is there to take it if adding up has failed.
                hand_over.send(block).map_err(|_| EngineError::Panicked)?;
                Ok(i64::MIN)
            });
            drop(hand_over);
            let interval_max = adding.join().map_err(|_| EngineError::Panicked)??;
            read.map(|()| interval_max)
        })
    }

    /// The rows of a chunk that meet the conditions, with the columns asked for; `None` if the
    /// chunk was deleted.
    pub(crate) fn chunk(
        &self,
        id: i64,
        filter: &RowFilter,
        columns: &[Column],
    ) -> Result<Option<Block>, EngineError> {
        let mut statement = self.db.prepare_cached(&format!(
            "SELECT {} FROM chunk WHERE id = ?1",
            Chunk::COLUMNS
        ))?;
        let mut found = statement.query([id])?;
        let Some(row) = found.next()? else {
            return Ok(None);
        };
        let asked = Asked {
            columns,
            latest: None,
        };
        let chunk = Chunk::read(self.db, row)?;
        read(&chunk, filter, asked, i64::MIN).map(Some)
    }

    /// The numbers of the chunks that may have rows which meet the conditions.
    pub(crate) fn chunk_ids(&self, filter: &RowFilter) -> Result<Vec<i64>, EngineError> {
        let (from, until) = filter.time_range();
        let ids = self
            .db
            .prepare_cached("SELECT id FROM chunk WHERE max_ts >= ?1 AND min_ts <= ?2 ORDER BY id")?
            .query_map([from, until], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        Ok(ids)
    }

    /// Hands over the tail and then chunk after chunk, later ones first, until
    /// there are only rows of before the moment that `see` gave last. Damaged
    /// chunks are left out; so are those of which `see` says that they are.
    pub(crate) fn scan_back(
        &self,
        filter: &RowFilter,
        asked: Asked<'_>,
        mut see: impl FnMut(Block, Option<&Chunk<'_>>) -> Result<i64, EngineError>,
    ) -> Result<(), EngineError> {
        let mut interesting_from = i64::MIN;
        let mut after = i64::MIN;
        let (first, last) = filter.time_range();
        let texts = asked.columns.iter().filter_map(|column| match column {
            Column::Text(text) | Column::Different(text) | Column::Entries(text) => Some(*text),
            Column::Time | Column::Interval | Column::Coherent | Column::Link | Column::Visitor => {
                None
            }
        });
        let texts: Vec<usize> = texts.chain(filter.text_columns()).collect();
        let texts: Vec<usize> = (0..TEXTS.len())
            .filter(|text| texts.contains(text))
            .collect();
        loop {
            self.deadline.check()?;
            let range = (first, last);
            let portion = tail::read(self.db, &texts, range, after, TAIL_BLOCK_ROWS)?;
            match portion.last {
                Some(last) => after = last,
                None => break,
            }
            for (batch, rows, error) in portion.damaged {
                self.leave_out(Damaged::Batch(batch), rows, error)?;
            }
            let mut block = portion.draft.into_block();
            filter.narrow(&mut block, None)?;
            if let Some(limit) = asked.latest {
                let latest = latest(&block.time, limit, interesting_from);
                block.keep(&latest);
            }
            if block.rows > 0 {
                interesting_from = see(block, None)?;
            }
        }

        for listed in self.chunks(&filter.spans_back())? {
            #[cfg(test)]
            if let Some(OnChunk(call)) = &*self.on_chunk.borrow() {
                call();
            }
            self.take_break()?;
            self.deadline.check()?;
            if listed.span.max_ts < interesting_from {
                break;
            }
            let mut seen = || {
                let sql = format!("SELECT {} FROM chunk WHERE id = ?1", Chunk::COLUMNS);
                let mut statement = self.db.prepare_cached(&sql)?;
                let mut found = statement.query([listed.id])?;
                let Some(row) = found.next()?.filter(|row| listed.is_still(row)) else {
                    return Ok(());
                };
                let chunk = Chunk::read(self.db, row)?;
                let block = read(&chunk, filter, asked, interesting_from)?;
                if block.rows > 0 {
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

    /// The chunks that may have rows of some time ranges, which come later ones first; the later
    /// chunks of each range first.
    fn chunks(&self, ranges: &[(i64, i64)]) -> Result<Vec<Listed>, rusqlite::Error> {
        let mut statement = self.db.prepare_cached(
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

impl Listed {
    /// True unless a chunk of other rows has got the number of one that was deleted.
    fn is_still(&self, row: &rusqlite::Row<'_>) -> bool {
        let is_within = || {
            let (rows, min_ts, max_ts): (u32, i64, i64) = (row.get(2)?, row.get(3)?, row.get(4)?);
            let Span {
                rows: most,
                min_ts: first,
                max_ts: last,
            } = self.span;
            Ok::<_, rusqlite::Error>(rows <= most && first <= min_ts && max_ts <= last)
        };
        is_within().unwrap_or(true)
    }
}

/// The rows of a chunk that meet the conditions. Columns that conditions are
/// about are read first: often they leave nothing to read of others.
fn read(
    chunk: &Chunk<'_>,
    filter: &RowFilter,
    asked: Asked<'_>,
    interesting_from: i64,
) -> Result<Block, EngineError> {
    let mut block = Block {
        rows: index(chunk.span().rows),
        // The tail came before, and chunks come in this order.
        no_later_than: Some(chunk.span().max_ts),
        ..Block::default()
    };
    let mut rows = filter.narrow(&mut block, Some(chunk))?;
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

/// The rows that may be among so many latest ones: from a moment on, and not
/// before the last of the latest.
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

/// Has every block seen, and says what the largest interval was.
fn add_up(
    blocks: Receiver<Block>,
    mut see: impl FnMut(&Block) -> Result<(), EngineError>,
) -> Result<SamplingInterval, EngineError> {
    let mut interval_max = SamplingInterval::EVERY;
    for block in blocks {
        interval_max = interval_max.max(largest_interval(&block));
        see(&block)?;
    }
    Ok(interval_max)
}

/// The largest interval of a block's rows.
pub(crate) fn largest_interval(block: &Block) -> SamplingInterval {
    let largest = block.interval.largest();
    let largest = largest.and_then(SamplingInterval::new);
    largest.unwrap_or(SamplingInterval::EVERY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{
        store::schema,
        tests::row,
        write::{
            draft::{Draft, Numbers},
            seal,
        },
    };

    #[test]
    fn what_goes_wrong_while_adding_up_ends_the_question() {
        let folder = tempfile::tempdir().unwrap();
        let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        // More than what may wait.
        for day in 0..10 {
            let mut draft = Draft::default();
            draft.push(Numbers::of(&row(day * 86_400_000, 1), 1), &row(0, 1));
            seal::write(&db, &draft, None).unwrap();
        }
        let deadline = Deadline::after(Duration::from_mins(1));
        let snapshot = Snapshot::take(&db, deadline).unwrap();
        let mut seen = 0;
        let failed = snapshot.scan(&RowFilter::default(), &[Column::Time], |_| {
            seen += 1;
            Err(EngineError::Dangling { link: 7 })
        });
        assert!(matches!(failed, Err(EngineError::Dangling { link: 7 })));
        assert_eq!(seen, 1);

        let panicked = snapshot.scan(&RowFilter::default(), &[Column::Time], |_| {
            panic!("as a test")
        });
        assert!(matches!(panicked, Err(EngineError::Panicked)));
    }

    #[test]
    fn whatever_sqlite_does_ends_at_the_deadline() {
        let folder = tempfile::tempdir().unwrap();
        let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        let soon = Deadline::after(Duration::from_millis(20));
        let snapshot = Snapshot::take(&db, soon.clone()).unwrap();
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                       SELECT count(*) FROM n";
        let result = snapshot.db().query_row(endless, [], |_| Ok(()));
        let error = soon.explain(result.unwrap_err().into());
        assert_eq!(error.to_string(), "no answer within 20 ms");
        drop(snapshot);

        // The next question has a time of its own.
        let later = Deadline::after(Duration::from_mins(1));
        let snapshot = Snapshot::take(&db, later.clone()).unwrap();
        let result = snapshot
            .db()
            .query_row("SELECT x FROM tail", [], |_| Ok(()));
        let error = later.explain(result.unwrap_err().into());
        assert_eq!(error.to_string(), "database error");
    }

    #[test]
    fn a_scan_ends_at_its_deadline() {
        let folder = tempfile::tempdir().unwrap();
        let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        tail::insert(&db, &row(0, 1), 1).unwrap();
        let late = Deadline::after(Duration::ZERO);
        assert!(Snapshot::take(&db, late.clone()).is_err());

        let mut snapshot = Snapshot::take(&db, Deadline::after(Duration::from_mins(1))).unwrap();
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
