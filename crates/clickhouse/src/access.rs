//! The question for the counters of every slug and destination.

use async_trait::async_trait;
use slugline_domain::{AccessRow, AccessRows, SamplingNote, VisitFilter, ports::VisitLogError};

use crate::{
    answer::{OF_EACH_VISITOR, REFERERS_OF_EACH_VISITOR},
    client::RowStream,
    error::failed,
    row_binary::{Cursor, DecodeError},
    sql::asked,
};

pub(crate) const ACTION: &str = "list visits by link";

/// The statement; [`read`] reads its rows.
pub(crate) fn statement(filter: &VisitFilter) -> String {
    let asked = asked(filter);
    format!(
        "SELECT slug, url, sum(v) AS visits, sum(u), uniqExactArray(r) FROM \
            (SELECT slug, url, {OF_EACH_VISITOR}, {REFERERS_OF_EACH_VISITOR} \
             FROM {asked} GROUP BY slug, url, visitor) \
         GROUP BY slug, url ORDER BY visits DESC, slug, url"
    )
}

pub(crate) fn read(row: &mut Cursor<'_>) -> Result<AccessRow, DecodeError> {
    Ok(AccessRow {
        slug: row.text()?,
        url: row.text()?,
        visits: row.u64()?,
        visitors: row.u64()?,
        referers: row.u64()?,
    })
}

/// Rows that are still arriving. ClickHouse has already computed all of them, so they describe
/// one moment.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) rows: RowStream<AccessRow>,
    pub(crate) sampling: SamplingNote,
}

#[async_trait]
impl AccessRows for Rows {
    async fn next(&mut self) -> Result<Vec<AccessRow>, VisitLogError> {
        let rows = self.rows.next().await;
        rows.map_err(|error| failed(ACTION, error))
    }

    fn sampling(&self) -> SamplingNote {
        self.sampling
    }
}
