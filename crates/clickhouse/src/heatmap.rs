//! The question for visits by hour of the week.

use slugline_domain::{HeatmapQuery, HeatmapRow, HourOfWeek};

use crate::{
    answer::{OF_EACH_VARYING_VISITOR, VARIANCE, variance},
    row_binary::{Cursor, DecodeError},
    sql::{asked, floor, local_seconds},
};

/// The statement; [`read`] reads its rows.
pub(crate) fn statement(query: &HeatmapQuery) -> String {
    let asked = asked(&query.filter);
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

pub(crate) fn read(row: &mut Cursor<'_>) -> Result<HeatmapRow, DecodeError> {
    let hour = u8::try_from(row.u64()?).ok().and_then(HourOfWeek::new);
    Ok(HeatmapRow {
        hour: hour.ok_or(DecodeError::OutOfRange)?,
        visits: row.u64()?,
        visitors: row.u64()?,
        variance: variance(row)?,
    })
}
