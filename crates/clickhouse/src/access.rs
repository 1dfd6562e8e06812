//! The question for the counters of every slug and destination.

use async_trait::async_trait;
use slugline_domain::{AccessRow, AccessRows, SamplingNote, VisitFilter, ports::VisitLogError};

use crate::{
    answer::{OF_EACH_VISITOR, REFERERS_OF_EACH_VISITOR, WithInterval, largest},
    client::RowStream,
    error::failed,
    row_binary::{Cursor, DecodeError},
    sql::asked,
};

pub(crate) const ACTION: &str = "list visits by link";

/// The statement; [`read`] reads its rows.
pub(crate) fn statement(filter: &VisitFilter) -> String {
    let asked = asked(filter);
    // It is a single number, so each row contains it, and no statement of its own is needed.
    let largest = format!("assumeNotNull((SELECT max(sampling_interval) FROM {asked}))");
    format!(
        "SELECT slug, url, sum(v) AS visits, sum(u), uniqExactArray(r), {largest} FROM \
            (SELECT slug, url, {OF_EACH_VISITOR}, {REFERERS_OF_EACH_VISITOR} \
             FROM {asked} GROUP BY slug, url, visitor) \
         GROUP BY slug, url ORDER BY visits DESC, slug, url"
    )
}

pub(crate) fn read(row: &mut Cursor<'_>) -> Result<WithInterval<AccessRow>, DecodeError> {
    Ok(WithInterval {
        row: AccessRow {
            slug: row.text()?,
            url: row.text()?,
            visits: row.u64()?,
            visitors: row.u64()?,
            referers: row.u64()?,
        },
        interval_max: row.u32()?,
    })
}

/// Rows that are still arriving. ClickHouse has already computed all of them, so they describe
/// one moment.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) rows: RowStream<WithInterval<AccessRow>>,
    /// The first rows complete it: each contains the largest interval of all rows.
    pub(crate) sampling: SamplingNote,
}

#[async_trait]
impl AccessRows for Rows {
    async fn next(&mut self) -> Result<Vec<AccessRow>, VisitLogError> {
        let rows = self.rows.next().await;
        let rows = rows.map_err(|error| failed(ACTION, error))?;
        self.sampling.interval_max = self.sampling.interval_max.max(largest(&rows));
        Ok(rows.into_iter().map(|rested| rested.row).collect())
    }

    fn sampling(&self) -> SamplingNote {
        self.sampling
    }
}
