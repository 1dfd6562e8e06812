//! The questions for single visits: the latest ones, all of them for files, and those of every slug
//! and destination.

use async_trait::async_trait;
use slugline_analytics::columns::visit_columns;
use slugline_domain::{
    AccessRow, AccessRows, Event, EventsQuery, SamplingInterval, SamplingNote, StoredVisit,
    UnixMillis, VisitColumn, VisitColumnKind, VisitFilter, VisitRows, VisitTexts,
    ports::VisitLogError,
};

use crate::{
    counts::OF_EACH_VISITOR,
    error::failed,
    row_binary::{Cursor, DecodeError},
    sql::{asked, column},
    statements::RowStream,
};

pub(crate) const READ_VISITS: &str = "read visits";

pub(crate) const LIST_ACCESS: &str = "list visits by link";

/// The statement for the latest visits; [`read_event`] reads its rows. It finds the moment of the
/// last row first, so that it reads the texts of few rows only.
pub(crate) fn events(query: &EventsQuery) -> String {
    let asked = asked(&query.filter);
    let limit = query.limit.get();
    let members: Vec<String> = Event::members().map(column).collect();
    let members = members.join(", ");
    format!(
        "SELECT ts_ms, {members} FROM {asked} AND ts_ms >= \
            (SELECT min(ts_ms) FROM \
                (SELECT ts_ms FROM {asked} ORDER BY ts_ms DESC LIMIT {limit})) \
         ORDER BY ts_ms DESC, {members} LIMIT {limit}"
    )
}

pub(crate) fn read_event(row: &mut Cursor<'_>) -> Result<Event, DecodeError> {
    let at = UnixMillis::new(row.i64()?);
    Event::read(at, |dimension| {
        if dimension.is_degrees() {
            Ok(row.degrees()?.to_string())
        } else {
            row.text()
        }
    })
}

/// The statement for slugs and destinations; [`read_access`] reads its rows.
pub(crate) fn access(filter: &VisitFilter) -> String {
    let asked = asked(filter);
    format!(
        "SELECT slug, url, sum(v) AS visits, sum(u), uniqExactArray(r) FROM \
            (SELECT slug, url, {OF_EACH_VISITOR}, \
                    groupUniqArrayIf(referer, referer != '') AS r \
             FROM {asked} GROUP BY slug, url, visitor) \
         GROUP BY slug, url ORDER BY visits DESC, slug, url"
    )
}

pub(crate) fn read_access(row: &mut Cursor<'_>) -> Result<AccessRow, DecodeError> {
    Ok(AccessRow {
        slug: row.text()?,
        url: row.text()?,
        visits: row.u64()?,
        visitors: row.u64()?,
        referers: row.u64()?,
    })
}

/// Slugs and destinations that are still arriving. ClickHouse has already computed all of them, so
/// they describe one moment.
#[derive(Debug)]
pub(crate) struct ArrivingAccess {
    pub(crate) rows: RowStream<AccessRow>,
    pub(crate) sampling: SamplingNote,
}

#[async_trait]
impl AccessRows for ArrivingAccess {
    async fn next(&mut self) -> Result<Vec<AccessRow>, VisitLogError> {
        let rows = self.rows.next().await;
        rows.map_err(|error| failed(LIST_ACCESS, error))
    }

    fn sampling(&self) -> SamplingNote {
        self.sampling
    }
}

/// The number before each row. When ClickHouse fails in the middle of an answer, it writes its
/// error instead of the next row, or breaks the connection off. The mark tells a row from such an
/// error.
const MARK: u32 = 0xa551_9e01;

/// The statement for visits; [`read_visit`] reads its rows. It sorts nothing, so that no row waits for
/// another.
pub(crate) fn visits(filter: &VisitFilter) -> String {
    let texts: Vec<&str> = visit_columns().iter().map(|column| column.name).collect();
    let texts = texts.join(", ");
    format!(
        "SELECT toUInt32({MARK}), ts_ms, link_id, visitor, sampling_interval, coherent, {texts} \
         FROM {}",
        asked(filter)
    )
}

pub(crate) fn read_visit(row: &mut Cursor<'_>) -> Result<StoredVisit, DecodeError> {
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
pub(crate) struct ArrivingVisits(pub(crate) RowStream<StoredVisit>);

#[async_trait]
impl VisitRows for ArrivingVisits {
    fn columns(&self) -> &'static [VisitColumn] {
        visit_columns()
    }

    async fn next(&mut self) -> Result<Vec<StoredVisit>, VisitLogError> {
        let visits = self.0.next().await;
        visits.map_err(|error| failed(READ_VISITS, error))
    }
}
