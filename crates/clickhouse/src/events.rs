//! The question for the latest visits.

use slugline_domain::{Event, EventsQuery, UnixMillis};

use crate::{
    row_binary::{Cursor, DecodeError},
    sql::{asked, column},
};

/// The statement; [`read`] reads its rows. It finds the moment of the last row
/// first, so that it reads the texts of few rows only.
pub(crate) fn statement(query: &EventsQuery) -> String {
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

pub(crate) fn read(row: &mut Cursor<'_>) -> Result<Event, DecodeError> {
    let at = UnixMillis::new(row.i64()?);
    Event::read(at, |dimension| {
        if dimension.is_degrees() {
            Ok(row.degrees()?.to_string())
        } else {
            row.text()
        }
    })
}
