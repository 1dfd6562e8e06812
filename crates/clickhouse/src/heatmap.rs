//! The question for visits by hour of the week.

use slugline_analytics::moments::Crowd;
use slugline_domain::{HeatmapQuery, HeatmapRow, HourOfWeek};

use crate::{
    answer::{OF_EACH_VARYING_VISITOR, VARIANCE, add_up, crowd},
    days::Rest,
    row_binary::{Cursor, DecodeError},
    sql::{floor, local_seconds},
};

/// The statement; [`read`] reads its rows. `None` if there is nothing to scan.
pub(crate) fn statement(query: &HeatmapQuery, rest: &Rest) -> Option<String> {
    let asked = rest.visits(&query.filter)?;
    let local = local_seconds(&query.zone);
    let hours = floor("local", 3_600);
    // 1970 began on a Thursday, three days after a Monday. The remainder of a
    // negative number is negative. A remainder has the type of the divisor, and
    // old servers took 168 as a signed number of eight bits.
    let week = "toInt64(168)";
    let hour = format!("toUInt64((({hours} + 72) % {week} + {week}) % {week})");
    Some(format!(
        "SELECT k, sum(v), sum(u), {VARIANCE} FROM \
            (WITH {local} AS local SELECT {hour} AS k, {OF_EACH_VARYING_VISITOR} FROM {asked} \
             GROUP BY k, visitor) \
         GROUP BY k ORDER BY k"
    ))
}

pub(crate) fn read(row: &mut Cursor<'_>) -> Result<(HourOfWeek, Crowd), DecodeError> {
    let hour = u8::try_from(row.u64()?).ok().and_then(HourOfWeek::new);
    Ok((hour.ok_or(DecodeError::OutOfRange)?, crowd(row)?))
}

/// The rows of an answer, of crowds that were scanned and of those from totals.
pub(crate) fn rows(crowds: impl Iterator<Item = (HourOfWeek, Crowd)>) -> Vec<HeatmapRow> {
    let row = |(hour, crowd): (_, Crowd)| HeatmapRow {
        hour,
        visits: crowd.visits,
        visitors: crowd.visitors,
        variance: crowd.variance,
    };
    add_up(crowds).into_iter().map(row).collect()
}
