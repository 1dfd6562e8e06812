//! The question for counters.

use slugline_analytics::moments::Crowd;
use slugline_domain::{CounterRow, Counters, CountersQuery, Dimension, LinkId};

use crate::{
    answer::{OF_EACH_VARYING_VISITOR, REFERERS_OF_EACH_VISITOR, VARIANCE, variance},
    days::{MOMENTS, Rest, Wanted},
    row_binary::{Cursor, DecodeError, ReadRow},
};

/// The parts of day totals that the question needs; `None` if it is about each link.
pub(crate) fn wanted(query: &CountersQuery) -> Option<Wanted> {
    (!query.per_link).then_some(Wanted {
        list: Some(Dimension::Referer.column()),
        ..MOMENTS
    })
}

/// The statement and the function that reads its rows. A link whose identity
/// was lost is not returned as a row.
pub(crate) fn statement(
    query: &CountersQuery,
    rest: &Rest,
) -> (String, ReadRow<Option<CounterRow>>) {
    if query.per_link {
        let sql = of_links(&rest.asked(&query.filter));
        return (sql, |row| {
            let link = LinkId::parse(&row.text()?).ok();
            let totals = counters(None, row)?;
            Ok(link.map(|link| CounterRow {
                link: Some(link),
                ..totals
            }))
        });
    }
    (of_all(query, rest), |row| counters(None, row).map(Some))
}

fn of_links(asked: &str) -> String {
    format!(
        "SELECT link_id, sum(v), sum(u), uniqExactArray(r), {VARIANCE} FROM \
            (SELECT link_id, {OF_EACH_VARYING_VISITOR}, {REFERERS_OF_EACH_VISITOR} \
             FROM {asked} GROUP BY link_id, visitor) \
         GROUP BY link_id ORDER BY link_id"
    )
}

/// Days with totals add only their referring hosts here. ClickHouse reads the hosts apart from the
/// visitors: with the hosts of each visitor it takes twice as long.
fn of_all(query: &CountersQuery, rest: &Rest) -> String {
    let asked = rest.asked(&query.filter);
    let hosts = rest.rows(
        &query.filter,
        |asked| format!("SELECT toString(referer) AS host FROM {asked} GROUP BY host"),
        |values| format!("SELECT value AS host FROM {values}"),
    );
    format!(
        "SELECT sum(v), sum(u), \
                ifNull((SELECT uniqExactIf(host, host != '') FROM ({hosts})), 0), {VARIANCE} \
         FROM (SELECT {OF_EACH_VARYING_VISITOR} FROM {asked} GROUP BY visitor)"
    )
}

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
