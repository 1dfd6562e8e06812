//! The visits themselves, for files: the tail first, then chunk after chunk.
//!
//! Each chunk is read in a transaction of its own, so a slow reader never keeps the write-ahead log
//! from being emptied. Rows that are sealed meanwhile were read with the tail and are in no chunk
//! of the list. A merge would move rows between chunks, so a lock makes merges wait.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    fs::File,
    time::Duration,
    vec,
};

use async_trait::async_trait;
use rusqlite::Connection;
use slugline_analytics::columns::{STORED, visit_columns};
use slugline_domain::{
    SamplingInterval, StoredVisit, UnixMillis, VisitColumn, VisitFilter, VisitRows, VisitTexts,
    ports::VisitLogError,
};

use super::{
    filter::RowFilter,
    plan::Plan,
    questions::{Questions, failed},
    scan::ScanRequest,
};
use crate::{
    file::{error::EngineError, limits::Deadline, links, snapshot::Snapshot},
    format::block::{Block, Column},
};

pub(crate) const ACTION: &str = "read visits";

/// The time limit of one chunk, including the wait for questions of others.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(5);

/// The number of visits returned at once.
const ROWS_AT_A_TIME: usize = 500;

/// The visits of a log, during an export.
#[derive(Debug)]
pub(crate) struct Visits {
    log: Questions,
    filter: VisitFilter,
    /// The blocks read so far, and the next row of the first one.
    read: VecDeque<Named>,
    row: usize,
    chunks: vec::IntoIter<i64>,
    _chunks_stay: File,
}

/// Rows with the names of their links.
#[derive(Debug)]
struct Named {
    block: Block,
    links: HashMap<i64, String>,
}

impl Visits {
    /// Begins to read. Dropping this releases the lock.
    pub(crate) async fn begin(
        log: Questions,
        filter: &VisitFilter,
        chunks_stay: File,
    ) -> Result<Self, EngineError> {
        let asked = filter.clone();
        let (read, chunks) = log.ask(move |snapshot| beginning(snapshot, &asked)).await?;
        Ok(Self {
            log,
            filter: filter.clone(),
            read,
            row: 0,
            chunks: chunks.into_iter(),
            _chunks_stay: chunks_stay,
        })
    }

    async fn read_chunk(&mut self, id: i64) -> Result<(), EngineError> {
        let filter = self.filter.clone();
        let rows = move |snapshot: &Snapshot<'_>| {
            let filter = RowFilter::resolve(snapshot.db(), &filter)?;
            let blocks = snapshot.chunk(id, &filter, &columns())?.into_iter();
            blocks
                .map(|block| Named::of(snapshot, block))
                .collect::<Result<Vec<Named>, EngineError>>()
        };
        self.read.extend(self.log.ask(rows).await?);
        Ok(())
    }

    /// The next rows from the blocks.
    fn take(&mut self) -> Vec<StoredVisit> {
        let Some(named) = self.read.front() else {
            return Vec::new();
        };
        let end = named.block.rows.min(self.row + ROWS_AT_A_TIME);
        let visits = (self.row..end).map(|row| named.visit(row)).collect();
        self.row = end;
        if end == named.block.rows {
            self.read.pop_front();
            self.row = 0;
        }
        visits
    }
}

#[async_trait]
impl VisitRows for Visits {
    fn columns(&self) -> &'static [VisitColumn] {
        visit_columns()
    }

    async fn next(&mut self) -> Result<Vec<StoredVisit>, VisitLogError> {
        loop {
            let visits = self.take();
            if !visits.is_empty() {
                return Ok(visits);
            }
            if !self.read.is_empty() {
                continue;
            }
            let Some(chunk) = self.chunks.next() else {
                return Ok(Vec::new());
            };
            let read = self.read_chunk(chunk).await;
            read.map_err(|error| failed(ACTION, error))?;
        }
    }
}

/// The numbers of all chunks, in order.
pub(crate) fn all_chunks(db: &mut Connection) -> Result<Vec<i64>, EngineError> {
    Snapshot::take(db, Deadline::after(TIMEOUT))?.chunk_ids(&RowFilter::default())
}

/// All visits of a chunk; none if it was deleted.
pub(crate) fn visits_of_chunk(
    db: &mut Connection,
    id: i64,
) -> Result<Vec<StoredVisit>, EngineError> {
    let snapshot = Snapshot::take(db, Deadline::after(TIMEOUT))?;
    let filter = RowFilter::resolve(snapshot.db(), &VisitFilter::default())?;
    let mut visits = Vec::new();
    for block in snapshot.chunk(id, &filter, &columns())? {
        let named = Named::of(&snapshot, block)?;
        visits.extend((0..named.block.rows).map(|row| named.visit(row)));
    }
    Ok(visits)
}

/// The rows of the tail, and the numbers of all chunks.
fn beginning(
    snapshot: &Snapshot<'_>,
    filter: &VisitFilter,
) -> Result<(VecDeque<Named>, Vec<i64>), EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), filter)?;
    let mut tail = VecDeque::new();
    let asked = ScanRequest {
        columns: &columns(),
        latest: None,
    };
    snapshot.scan_back(&Plan::of_rows(&filter), asked, |block, chunk| {
        if chunk.is_none() {
            tail.push_back(Named::of(snapshot, block)?);
        }
        // Chunks are read one by one, later.
        Ok(i64::MAX)
    })?;
    Ok((tail, snapshot.chunk_ids(&filter)?))
}

/// Every column.
fn columns() -> Vec<Column> {
    let numbers = [
        Column::Time,
        Column::Interval,
        Column::Coherent,
        Column::Link,
        Column::Visitor,
    ];
    let texts = (0..STORED).map(Column::Text);
    numbers.into_iter().chain(texts).collect()
}

impl Named {
    fn of(snapshot: &Snapshot<'_>, block: Block) -> Result<Self, EngineError> {
        let mut names = HashMap::new();
        for row in 0..block.rows {
            let link = block.link.at(row);
            if let Entry::Vacant(unknown) = names.entry(link) {
                let name = links::name(snapshot.db(), link)?;
                unknown.insert(name.ok_or(EngineError::Dangling { link })?);
            }
        }
        Ok(Self {
            block,
            links: names,
        })
    }

    fn visit(&self, row: usize) -> StoredVisit {
        let block = &self.block;
        let texts = (0..STORED).map(|column| block.text(column, row));
        let link = self.links.get(&block.link.at(row));
        StoredVisit {
            at: UnixMillis::new(block.time.at(row)),
            link: link.cloned().unwrap_or_default(),
            visitor: block.visitor.at(row),
            interval: SamplingInterval::new(block.interval.at(row))
                .unwrap_or(SamplingInterval::EVERY),
            coherent: block.coherent.at(row) == 1,
            texts: texts.collect::<VisitTexts>(),
        }
    }
}
