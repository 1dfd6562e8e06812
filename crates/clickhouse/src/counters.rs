//! The question for counters.

use slugline_domain::{CounterRow, Counters, CountersQuery, LinkId};

use crate::{
    answer::{OF_EACH_VARYING_VISITOR, REFERERS_OF_EACH_VISITOR, VARIANCE, variance},
    row_binary::{Cursor, DecodeError, ReadRow},
    sql::asked,
};

/// The statement and the function that reads its rows. A link whose identity
/// was lost is not returned as a row.
pub(crate) fn statement(query: &CountersQuery) -> (String, ReadRow<Option<CounterRow>>) {
    let asked = asked(&query.filter);
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
        let sql = format!("SELECT {totals} FROM (SELECT {of_each} FROM {asked} GROUP BY visitor)");
        (sql, |row| counters(None, row).map(Some))
    }
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
