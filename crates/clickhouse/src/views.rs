//! The question for visits over time.

use std::collections::BTreeMap;

use slugline_analytics::moments::Crowd;
use slugline_domain::{LocalSeconds, ViewRow, ViewsQuery};

use crate::{
    answer::{OF_EACH_VARYING_VISITOR, VARIANCE, variance},
    days::Rest,
    row_binary::{Cursor, DecodeError},
    sql::{floor, local_seconds},
};

/// The statement; [`read`] reads its rows.
pub(crate) fn statement(query: &ViewsQuery, rest: &Rest) -> String {
    let asked = rest.asked(&query.filter);
    let local = local_seconds(&query.zone);
    let seconds = query.unit.seconds();
    let number = floor("local", seconds);
    format!(
        "SELECT k * {seconds} AS start, sum(v), sum(u), {VARIANCE} FROM \
            (WITH {local} AS local SELECT {number} AS k, {OF_EACH_VARYING_VISITOR} FROM {asked} \
             GROUP BY k, visitor) \
         GROUP BY k ORDER BY k"
    )
}

/// Adds the hours or days of the clock of days with totals.
pub(crate) fn add(
    rows: Vec<ViewRow>,
    known: impl Iterator<Item = (LocalSeconds, Crowd)>,
) -> Vec<ViewRow> {
    let scanned = rows.into_iter().map(|row| {
        let crowd = Crowd {
            visits: row.visits,
            visitors: row.visitors,
            variance: row.variance,
        };
        (row.start, crowd)
    });
    let mut spans: BTreeMap<LocalSeconds, Crowd> = BTreeMap::new();
    for (start, crowd) in scanned.chain(known) {
        *spans.entry(start).or_default() += crowd;
    }
    let row = |(start, crowd): (_, Crowd)| ViewRow {
        start,
        visits: crowd.visits,
        visitors: crowd.visitors,
        variance: crowd.variance,
    };
    spans.into_iter().map(row).collect()
}

pub(crate) fn read(row: &mut Cursor<'_>) -> Result<ViewRow, DecodeError> {
    Ok(ViewRow {
        start: LocalSeconds::new(row.i64()?),
        visits: row.u64()?,
        visitors: row.u64()?,
        variance: variance(row)?,
    })
}
