//! The question for visits by hour of the week.

use std::collections::BTreeMap;

use slugline_analytics::moments::Crowd;
use slugline_domain::{HeatmapQuery, HeatmapRow, HourOfWeek, LocalSeconds};

use crate::{
    answer::{OF_EACH_VARYING_VISITOR, VARIANCE, variance},
    days::Rest,
    row_binary::{Cursor, DecodeError},
    sql::{floor, local_seconds},
};

/// The statement; [`read`] reads its rows.
pub(crate) fn statement(query: &HeatmapQuery, rest: &Rest) -> String {
    let asked = rest.asked(&query.filter);
    let local = local_seconds(&query.zone);
    let hours = floor("local", 3_600);
    // 1970 began on a Thursday, three days after a Monday. The remainder of a
    // negative number is negative. A remainder has the type of the divisor, and
    // old servers took 168 as a signed number of eight bits.
    let week = "toInt64(168)";
    let hour = format!("toUInt64((({hours} + 72) % {week} + {week}) % {week})");
    format!(
        "SELECT k, sum(v), sum(u), {VARIANCE} FROM \
            (WITH {local} AS local SELECT {hour} AS k, {OF_EACH_VARYING_VISITOR} FROM {asked} \
             GROUP BY k, visitor) \
         GROUP BY k ORDER BY k"
    )
}

/// Adds the hours of days with totals.
pub(crate) fn add(
    rows: Vec<HeatmapRow>,
    known: impl Iterator<Item = (LocalSeconds, Crowd)>,
) -> Vec<HeatmapRow> {
    let scanned = rows.into_iter().map(|row| {
        let crowd = Crowd {
            visits: row.visits,
            visitors: row.visitors,
            variance: row.variance,
        };
        (row.hour, crowd)
    });
    let known = known.map(|(start, crowd)| (start.hour_of_week(), crowd));
    let mut hours: BTreeMap<HourOfWeek, Crowd> = BTreeMap::new();
    for (hour, crowd) in scanned.chain(known) {
        *hours.entry(hour).or_default() += crowd;
    }
    let row = |(hour, crowd): (_, Crowd)| HeatmapRow {
        hour,
        visits: crowd.visits,
        visitors: crowd.visitors,
        variance: crowd.variance,
    };
    hours.into_iter().map(row).collect()
}

pub(crate) fn read(row: &mut Cursor<'_>) -> Result<HeatmapRow, DecodeError> {
    let hour = u8::try_from(row.u64()?).ok().and_then(HourOfWeek::new);
    Ok(HeatmapRow {
        hour: hour.ok_or(DecodeError::OutOfRange)?,
        visits: row.u64()?,
        visitors: row.u64()?,
        variance: variance(row)?,
    })
}
