//! The question for counters.

use slugline_domain::{CounterRow, Counters, CountersQuery, LinkId};

use crate::{
    answer::{OF_EACH_VISITOR, REFERERS_OF_EACH_VISITOR, WithInterval},
    row_binary::{Cursor, DecodeError, ReadRow},
    sql::asked,
};

const TOTALS: &str = "sum(v), sum(u), uniqExactArray(r), max(m)";

/// The statement and the function that reads its rows. A link whose identity
/// was lost is not returned as a row, but its visits count for the accuracy of
/// the answer.
pub(crate) fn statement(
    query: &CountersQuery,
) -> (String, ReadRow<WithInterval<Option<CounterRow>>>) {
    let asked = asked(&query.filter);
    let of_each = format!("{OF_EACH_VISITOR}, {REFERERS_OF_EACH_VISITOR}");
    if query.per_link {
        let sql = format!(
            "SELECT link_id, {TOTALS} FROM \
                (SELECT link_id, {of_each} FROM {asked} GROUP BY link_id, visitor) \
             GROUP BY link_id ORDER BY link_id"
        );
        (sql, |row| {
            let link = LinkId::parse(&row.text()?).ok();
            let WithInterval { row, interval_max } = totals(row)?;
            Ok(WithInterval {
                row: link.map(|link| CounterRow {
                    link: Some(link),
                    counters: row,
                }),
                interval_max,
            })
        })
    } else {
        let sql = format!("SELECT {TOTALS} FROM (SELECT {of_each} FROM {asked} GROUP BY visitor)");
        (sql, |row| {
            let WithInterval { row, interval_max } = totals(row)?;
            Ok(WithInterval {
                row: Some(CounterRow {
                    link: None,
                    counters: row,
                }),
                interval_max,
            })
        })
    }
}

fn totals(row: &mut Cursor<'_>) -> Result<WithInterval<Counters>, DecodeError> {
    Ok(WithInterval {
        row: Counters {
            visits: row.u64()?,
            visitors: row.u64()?,
            referers: row.u64()?,
        },
        interval_max: row.u32()?,
    })
}
