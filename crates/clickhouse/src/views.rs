//! The question for visits over time.

use slugline_analytics::moments::Crowd;
use slugline_domain::{LocalSeconds, ViewRow, ViewsQuery};

use crate::{
    answer::{OF_EACH_VARYING_VISITOR, VARIANCE, add_up, crowd},
    days::Rest,
    row_binary::{Cursor, DecodeError},
    sql::{floor, local_seconds},
};

/// The statement; [`read`] reads its rows. `None` if there is nothing to scan.
pub(crate) fn statement(query: &ViewsQuery, rest: &Rest) -> Option<String> {
    let asked = rest.visits(&query.filter)?;
    let local = local_seconds(&query.zone);
    let seconds = query.unit.seconds();
    let number = floor("local", seconds);
    Some(format!(
        "SELECT k * {seconds} AS start, sum(v), sum(u), {VARIANCE} FROM \
            (WITH {local} AS local SELECT {number} AS k, {OF_EACH_VARYING_VISITOR} FROM {asked} \
             GROUP BY k, visitor) \
         GROUP BY k ORDER BY k"
    ))
}

pub(crate) fn read(row: &mut Cursor<'_>) -> Result<(LocalSeconds, Crowd), DecodeError> {
    Ok((LocalSeconds::new(row.i64()?), crowd(row)?))
}

/// The rows of an answer, of crowds that were scanned and of those from totals.
pub(crate) fn rows(crowds: impl Iterator<Item = (LocalSeconds, Crowd)>) -> Vec<ViewRow> {
    let row = |(start, crowd): (_, Crowd)| ViewRow {
        start,
        visits: crowd.visits,
        visitors: crowd.visitors,
        variance: crowd.variance,
    };
    add_up(crowds).into_iter().map(row).collect()
}
