//! The visits themselves, for files, as ClickHouse sends them.

use async_trait::async_trait;
use slugline_analytics::columns::visit_columns;
use slugline_domain::{
    SamplingInterval, StoredVisit, UnixMillis, VisitColumn, VisitColumnKind, VisitFilter,
    VisitRows, VisitTexts, ports::VisitLogError,
};

use crate::{
    client::RowStream,
    error::failed,
    row_binary::{Cursor, DecodeError},
    sql::asked,
};

pub(crate) const ACTION: &str = "read visits";

/// The number before each row. When ClickHouse fails in the middle of an answer, it writes its
/// error instead of the next row, or breaks the connection off. The mark tells a row from such an
/// error.
const MARK: u32 = 0xa551_9e01;

/// The statement; [`read`] reads its rows. It sorts nothing, so that no row waits for another.
pub(crate) fn statement(filter: &VisitFilter) -> String {
    let texts: Vec<&str> = visit_columns().iter().map(|column| column.name).collect();
    let texts = texts.join(", ");
    format!(
        "SELECT toUInt32({MARK}), ts_ms, link_id, visitor, sampling_interval, coherent, {texts} \
         FROM {}",
        asked(filter)
    )
}

pub(crate) fn read(row: &mut Cursor<'_>) -> Result<StoredVisit, DecodeError> {
    if row.u32()? != MARK {
        return Err(DecodeError::OutOfRange);
    }
    let at = UnixMillis::new(row.i64()?);
    let link = row.text()?;
    let visitor = row.u64()?;
    let interval = SamplingInterval::new(row.u32()?).ok_or(DecodeError::OutOfRange)?;
    let coherent = row.u8()? == 1;
    let mut texts = VisitTexts::default();
    for column in visit_columns() {
        match column.kind {
            VisitColumnKind::Text { .. } => texts.push(&row.text()?),
            VisitColumnKind::Degrees => texts.push(&row.degrees()?.to_string()),
        }
    }
    Ok(StoredVisit {
        at,
        link,
        visitor,
        interval,
        coherent,
        texts,
    })
}

/// Visits that are still arriving.
#[derive(Debug)]
pub(crate) struct Rows(pub(crate) RowStream<StoredVisit>);

#[async_trait]
impl VisitRows for Rows {
    fn columns(&self) -> &'static [VisitColumn] {
        visit_columns()
    }

    async fn next(&mut self) -> Result<Vec<StoredVisit>, VisitLogError> {
        let visits = self.0.next().await;
        visits.map_err(|error| failed(ACTION, error))
    }
}
