//! The question for visits over time.

use slugline_domain::{LocalSeconds, ViewRow, ViewsQuery};

use crate::{
    answer::{OF_EACH_VARYING_VISITOR, VARIANCE, variance},
    row_binary::{Cursor, DecodeError},
    sql::{asked, floor, local_seconds},
};

/// The statement; [`read`] reads its rows.
pub(crate) fn statement(query: &ViewsQuery) -> String {
    let asked = asked(&query.filter);
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

pub(crate) fn read(row: &mut Cursor<'_>) -> Result<ViewRow, DecodeError> {
    Ok(ViewRow {
        start: LocalSeconds::new(row.i64()?),
        visits: row.u64()?,
        visitors: row.u64()?,
        variance: variance(row)?,
    })
}
