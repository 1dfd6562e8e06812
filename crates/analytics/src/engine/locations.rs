//! The question for places.

use rusqlite::{Connection, Row};
use slugline_domain::{Degrees, LocationRow, LocationsQuery};

use super::{
    answer::Answer,
    counts,
    dimension::Table,
    error::EngineError,
    filter::RowFilter,
    groups::{self, Groups, Labels},
    scan::Snapshot,
};

/// City, latitude, longitude.
type Place = (String, Degrees, Degrees);

const LABELS: Labels<Place> = Labels {
    table: Table::Places,
    columns: "city, latitude, longitude",
    read,
};

/// Works the rows out.
pub(super) fn answer(
    snapshot: &Snapshot<'_>,
    query: &LocationsQuery,
) -> Result<Answer<LocationRow>, EngineError> {
    let db = snapshot.db();
    let filter = RowFilter::resolve(db, &query.filter)?;
    let groups = load(db)?;
    let ranked = counts::rank(snapshot, &filter, &groups, query.limit)?;
    let mut rows = Vec::with_capacity(ranked.groups.len());
    for (group, count) in ranked.groups {
        let (city, latitude, longitude) = groups::label(db, &LABELS, groups.example(group))?;
        rows.push(LocationRow {
            city,
            latitude,
            longitude,
            count,
        });
    }
    Ok(Answer {
        rows,
        rows_before_limit: ranked.all,
        interval_max: ranked.interval_max,
        sketched: false,
    })
}

/// Sorted here, because places that differ only in the digits that are not
/// shown stand apart in SQLite's order.
fn load(db: &Connection) -> Result<Groups, rusqlite::Error> {
    let mut statement = db.prepare_cached("SELECT id, city, latitude, longitude FROM dim_place")?;
    let mut places: Vec<(Option<Place>, u32)> = statement
        .query_map([], |entry| Ok((read(entry)?, entry.get(0)?)))?
        .collect::<Result<_, _>>()?;
    places.sort_unstable();
    let entries = places.into_iter().map(|(place, id)| (id, place));
    Ok(Groups::of_sorted(Table::Places, entries))
}

fn read(entry: &Row<'_>) -> Result<Option<Place>, rusqlite::Error> {
    let latitude = Degrees::nearest(entry.get(2)?);
    let longitude = Degrees::nearest(entry.get(3)?);
    if latitude == Degrees::ZERO || longitude == Degrees::ZERO {
        return Ok(None);
    }
    Ok(Some((entry.get(1)?, latitude, longitude)))
}
