//! The question for totals of every slug and destination.

use std::{cmp::Reverse, mem};

use async_trait::async_trait;
use rusqlite::{Connection, Row};
use slugline_domain::{AccessRow, AccessRows, Counters, VisitFilter, ports::VisitLogError};

use super::{
    dimension::Table,
    error::EngineError,
    filter::RowFilter,
    groups::{self, Labels},
    log::{EmbeddedLog, failed},
    pinned::Pinned,
    scan::Snapshot,
};

const ACTION: &str = "list visits by link";

/// Rows whose texts are read in one go.
const ROWS_AT_A_TIME: usize = 1_000;

/// Slug and destination.
const LABELS: Labels<(String, String)> = Labels {
    table: Table::Targets,
    columns: "slug, url",
    read: |entry: &Row<'_>| Ok(Some((entry.get(1)?, entry.get(2)?))),
};

/// Totals and, of each, an entry that has its slug and destination; in order.
pub(super) fn totals(
    snapshot: &Snapshot<'_>,
    filter: &VisitFilter,
) -> Result<Vec<(u32, Counters)>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), filter)?;
    let (groups, mut totals, _) = groups::totals(snapshot, &filter, &LABELS)?;
    let mut rows: Vec<(u32, Counters)> = (0..groups.len())
        .map(|group| (groups.example(group), totals.counters(group)))
        .filter(|(_, counters)| counters.visits > 0)
        .collect();
    // Groups were in order of slug and destination, and a stable sort leaves
    // them so where the visits are equal.
    rows.sort_by_key(|(_, counters)| Reverse(counters.visits));
    Ok(rows)
}

/// Rows on their way out. Numbers are worked out at once; texts, which take
/// most of the room, are read when they are asked for, from the log as it was
/// then: what retention deletes meanwhile is still there. Neither a thread nor a
/// turn is held in between.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) log: EmbeddedLog,
    pinned: Pinned,
    pub(super) rest: Vec<(u32, Counters)>,
}

#[async_trait]
impl AccessRows for Rows {
    async fn next(&mut self) -> Result<Vec<AccessRow>, VisitLogError> {
        let later = self.rest.split_off(ROWS_AT_A_TIME.min(self.rest.len()));
        let rows = mem::replace(&mut self.rest, later);
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        self.log
            .ask_pinned(&self.pinned, move |snapshot| read(snapshot.db(), &rows))
            .await
            .map_err(|error| failed(ACTION, error))
    }
}

/// Starts handing the rows out.
pub(super) async fn answer(log: &EmbeddedLog, filter: &VisitFilter) -> Result<Rows, VisitLogError> {
    let filter = filter.clone();
    let (rest, pinned) = log
        .pin(move |snapshot| totals(snapshot, &filter))
        .await
        .map_err(|error| failed(ACTION, error))?;
    Ok(Rows {
        log: log.clone(),
        pinned,
        rest,
    })
}

fn read(db: &Connection, rows: &[(u32, Counters)]) -> Result<Vec<AccessRow>, EngineError> {
    rows.iter()
        .map(|(target, counters)| {
            let (slug, url) = groups::label(db, &LABELS, *target)?;
            Ok(AccessRow {
                slug,
                url,
                visitors: counters.visitors,
                visits: counters.visits,
                referers: counters.referers,
            })
        })
        .collect()
}
