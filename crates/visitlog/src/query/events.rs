//! The question for the latest visits.

use std::{cmp::Reverse, convert::Infallible};

use slugline_analytics::columns::{TEXTS, text_of};
use slugline_domain::{Event, EventsQuery, UnixMillis};

use super::{filter::RowFilter, plan::Plan, scan::ScanRequest};
use crate::{
    file::{error::EngineError, snapshot::Snapshot},
    format::block::{Block, Column},
};

/// Finds the latest visits.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    query: &EventsQuery,
) -> Result<Vec<Event>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let last = query.limit.as_usize() - 1;
    let columns: Vec<Column> = (0..TEXTS.len()).map(Column::Text).collect();
    let mut latest: Vec<Event> = Vec::new();
    let mut oldest = i64::MIN;
    // Reads the texts only of rows that may be among the latest.
    let asked = ScanRequest {
        columns: &columns,
        latest: Some(query.limit),
    };
    snapshot.scan_back(&Plan::of_rows(&filter), asked, |block, _| {
        let rows = (0..block.rows).filter(|&row| block.time.at(row) >= oldest);
        latest.extend(rows.map(|row| event(&block, row)));
        latest.sort_by_key(|event| Reverse(event.at));
        // It is not decided yet which of the visits at that moment are left out.
        if let Some(event) = latest.get(last) {
            oldest = event.at.get();
            latest.retain(|event| event.at.get() >= oldest);
        }
        Ok(oldest)
    })?;
    Ok(Event::latest(latest, query.limit))
}

fn event(block: &Block, row: usize) -> Event {
    let at = UnixMillis::new(block.time.at(row));
    let text = |dimension| block.text(text_of(dimension), row).to_owned();
    let Ok(event) = Event::read(at, |dimension| Ok::<_, Infallible>(text(dimension)));
    event
}
