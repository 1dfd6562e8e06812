//! The question for the latest visits.

use std::cmp::Reverse;

use rusqlite::{Connection, Row, params};
use slugline_domain::{Degrees, Event, EventsQuery, UnixMillis};

use super::{
    block::Block, column::Column, dictionaries::Ids, error::EngineError, filter::RowFilter,
    scan::Snapshot,
};

const COLUMNS: [Column; 6] = [
    Column::Time,
    Column::Target,
    Column::Client,
    Column::Place,
    Column::Referer,
    Column::Language,
];

/// Finds them.
pub(super) fn answer(
    snapshot: &Snapshot<'_>,
    query: &EventsQuery,
) -> Result<Vec<Event>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let limit = query.limit.as_usize();
    let mut latest: Vec<(i64, Ids)> = Vec::new();
    snapshot.scan_back(&filter, &COLUMNS, |block| {
        latest.extend((0..block.rows).map(|row| (block.time[row], ids(&block, row))));
        latest.sort_unstable_by_key(|(time, _)| Reverse(*time));
        let Some(&(oldest, _)) = latest.get(limit - 1) else {
            return Ok(i64::MIN);
        };
        // Of the rows at that moment it is not decided yet which are left out.
        latest.retain(|(time, _)| *time >= oldest);
        Ok(oldest)
    })?;
    let events = latest
        .into_iter()
        .map(|(time, ids)| read(snapshot.db(), time, ids))
        .collect::<Result<_, _>>()?;
    Ok(Event::latest(events, query.limit))
}

fn ids(block: &Block, row: usize) -> Ids {
    Ids {
        target: block.target[row],
        client: block.client[row],
        place: block.place[row],
        referer: block.referer[row],
        language: block.language[row],
    }
}

fn read(db: &Connection, time: i64, ids: Ids) -> Result<Event, EngineError> {
    let mut statement = db.prepare_cached(
        "SELECT t.slug, t.url, c.ua, r.v, p.country, p.region, p.city, p.timezone, l.v, c.os, \
                c.browser, c.browser_type, c.device, c.device_type, p.colo, p.latitude, p.longitude \
         FROM dim_target t, dim_client c, dim_place p, dim_value r, dim_value l \
         WHERE t.id = ?1 AND c.id = ?2 AND p.id = ?3 AND r.kind = 1 AND r.id = ?4 \
               AND l.kind = 2 AND l.id = ?5",
    )?;
    let mut found = statement.query(params![
        ids.target,
        ids.client,
        ids.place,
        ids.referer,
        ids.language
    ])?;
    let row = found.next()?.ok_or(EngineError::Incomplete)?;
    Ok(event(UnixMillis::new(time), row)?)
}

fn event(at: UnixMillis, row: &Row<'_>) -> Result<Event, rusqlite::Error> {
    Ok(Event {
        at,
        slug: row.get(0)?,
        url: row.get(1)?,
        user_agent: row.get(2)?,
        referer: row.get(3)?,
        country: row.get(4)?,
        region: row.get(5)?,
        city: row.get(6)?,
        timezone: row.get(7)?,
        language: row.get(8)?,
        os: row.get(9)?,
        browser: row.get(10)?,
        browser_type: row.get(11)?,
        device: row.get(12)?,
        device_type: row.get(13)?,
        colo: row.get(14)?,
        latitude: Degrees::nearest(row.get(15)?),
        longitude: Degrees::nearest(row.get(16)?),
    })
}
