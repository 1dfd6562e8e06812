//! The question for counters.

use slugline_analytics::moments::Crowd;
use slugline_domain::{CounterRow, Counters, CountersQuery, Dimension, LinkId};

use crate::{
    answer::{OF_EACH_VARYING_VISITOR, REFERERS_OF_EACH_VISITOR, VARIANCE, variance},
    days::{MOMENTS, Rest, Wanted},
    row_binary::{Cursor, DecodeError, ReadRow},
};

/// The statement and the function that reads its rows. A link whose identity
/// was lost is not returned as a row.
pub(crate) fn statement(
    query: &CountersQuery,
    rest: &Rest,
) -> (String, ReadRow<Option<CounterRow>>) {
    let asked = rest.asked(&query.filter);
    let of_each = format!("{OF_EACH_VARYING_VISITOR}, {REFERERS_OF_EACH_VISITOR}");
    let totals = format!("sum(v), sum(u), uniqExactArray(r), {VARIANCE}");
    if query.per_link {
        let sql = format!(
            "SELECT link_id, {totals} FROM \
                (SELECT link_id, {of_each} FROM {asked} GROUP BY link_id, visitor) \
             GROUP BY link_id ORDER BY link_id"
        );
        (sql, |row| {
            let link = LinkId::parse(&row.text()?).ok();
            let totals = counters(None, row)?;
            Ok(link.map(|link| CounterRow {
                link: Some(link),
                ..totals
            }))
        })
    } else {
        // Days with totals add only their referring hosts here.
        let hosts = rest.values.as_ref().map_or_else(String::new, |values| {
            format!(
                " UNION ALL SELECT toUInt64(0), toUInt32(0), toUInt64(0), toUInt64(0), \
                 toInt64(0), groupUniqArray(value) FROM {values} AND value != ''"
            )
        });
        let columns = "v, u, s, n, toInt64(c) AS c, r";
        let sql = format!(
            "SELECT {totals} FROM (SELECT {columns} FROM \
                (SELECT {of_each} FROM {asked} GROUP BY visitor){hosts})"
        );
        (sql, |row| counters(None, row).map(Some))
    }
}

/// The parts of day totals that the question needs.
pub(crate) const WANTED: Wanted = Wanted {
    list: Some(Dimension::Referer.column()),
    ..MOMENTS
};

/// Adds visits and visitors of days with totals.
pub(crate) fn add(row: &mut CounterRow, days: Vec<Crowd>) {
    let mut crowd = Crowd {
        visits: row.counters.visits,
        visitors: row.counters.visitors,
        variance: row.variance,
    };
    for day in days {
        crowd += day;
    }
    row.counters.visits = crowd.visits;
    row.counters.visitors = crowd.visitors;
    row.variance = crowd.variance;
}

fn counters(link: Option<LinkId>, row: &mut Cursor<'_>) -> Result<CounterRow, DecodeError> {
    Ok(CounterRow {
        link,
        counters: Counters {
            visits: row.u64()?,
            visitors: row.u64()?,
            referers: row.u64()?,
        },
        variance: variance(row)?,
    })
}
