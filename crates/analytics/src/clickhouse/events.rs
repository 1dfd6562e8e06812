//! The question for the latest visits.

use slugline_domain::{Event, EventsQuery, UnixMillis};

use super::{
    row_binary::{Cursor, DecodeError},
    sql::asked,
};

/// The members of an event in the order that sorts events of one moment.
const MEMBERS: &str = "slug, url, user_agent, referer, country, region, city, timezone, language, \
    os, browser, browser_type, device, device_type, colo, latitude, longitude";

/// The statement; [`read`] reads its rows. It finds the moment of the last row
/// first, so that it reads the texts of few rows only.
pub(super) fn statement(query: &EventsQuery) -> String {
    let asked = asked(&query.filter);
    let limit = query.limit.get();
    format!(
        "SELECT ts_ms, {MEMBERS} FROM {asked} AND ts_ms >= \
            (SELECT min(ts_ms) FROM \
                (SELECT ts_ms FROM {asked} ORDER BY ts_ms DESC LIMIT {limit})) \
         ORDER BY ts_ms DESC, {MEMBERS} LIMIT {limit}"
    )
}

pub(super) fn read(row: &mut Cursor<'_>) -> Result<Event, DecodeError> {
    Ok(Event {
        at: UnixMillis::new(row.i64()?),
        slug: row.text()?,
        url: row.text()?,
        user_agent: row.text()?,
        referer: row.text()?,
        country: row.text()?,
        region: row.text()?,
        city: row.text()?,
        timezone: row.text()?,
        language: row.text()?,
        os: row.text()?,
        browser: row.text()?,
        browser_type: row.text()?,
        device: row.text()?,
        device_type: row.text()?,
        colo: row.text()?,
        latitude: row.degrees()?,
        longitude: row.degrees()?,
    })
}
