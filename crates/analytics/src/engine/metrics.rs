//! The question for the most frequent values of a dimension.

use std::cmp::Reverse;

use rusqlite::Row;
use slugline_domain::{Degrees, MetricRow, MetricsQuery, RowLimit, SamplingInterval};

use super::{
    answer::{Answer, number},
    column::Column,
    counts,
    dimension::{Home, Table, home},
    error::EngineError,
    filter::RowFilter,
    groups::{self, Groups, Labels},
    ranking::keep_first,
    scan::Snapshot,
};
use crate::visitor::VisitorHash;

/// Works the rows out.
pub(super) fn answer(
    snapshot: &Snapshot<'_>,
    query: &MetricsQuery,
) -> Result<Answer<MetricRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    match home(query.dimension) {
        Home::Text { table, column, .. } => {
            let read = |entry: &Row<'_>| entry.get::<_, String>(1).map(Some);
            let labels = Labels {
                table,
                columns: column,
                read,
            };
            by_entry(snapshot, &filter, &labels, query.limit)
        }
        Home::Degrees { column } => {
            let read = |entry: &Row<'_>| Ok(Some(Degrees::nearest(entry.get(1)?)));
            let labels = Labels {
                table: Table::Places,
                columns: column,
                read,
            };
            by_entry(snapshot, &filter, &labels, query.limit)
        }
        Home::Visitor => by_visitor(snapshot, &filter, query.limit),
    }
}

fn by_entry<K: PartialEq + ToString>(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
    labels: &Labels<K>,
    limit: RowLimit,
) -> Result<Answer<MetricRow>, EngineError> {
    let db = snapshot.db();
    let groups = Groups::load(db, labels, |id| filter.admits(labels.table, id))?;
    let ranked = counts::rank(snapshot, filter, &groups, limit)?;
    let mut rows = Vec::with_capacity(ranked.groups.len());
    for (group, count) in ranked.groups {
        let name = groups::label(db, labels, groups.example(group))?.to_string();
        rows.push(MetricRow { name, count });
    }
    Ok(Answer {
        rows,
        rows_before_limit: ranked.all,
        interval_max: ranked.interval_max,
        sketched: false,
    })
}

/// Rows that are sorted by visitor in one go: 16 bytes each, so 64 MiB.
const ROWS_AT_A_TIME: u64 = 1 << 22;

/// Nearly every visitor may be another one, so what is looked for is a needle
/// in a haystack that does not fit the memory. It is gone through in shares of
/// visitors.
fn by_visitor(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
    limit: RowLimit,
) -> Result<Answer<MetricRow>, EngineError> {
    let shares = snapshot.rows_at_most(filter)? / ROWS_AT_A_TIME + 1;
    let mut best: Vec<(u64, u64)> = Vec::new();
    let mut all = 0;
    let mut interval_max = SamplingInterval::EVERY;
    for share in 0..shares {
        let mut visits: Vec<(u64, u64)> = Vec::new();
        interval_max = snapshot.scan(filter, &[Column::Visitor], |block, rows| {
            let visitors = rows.iter().map(|&row| (row, block.visitor[row]));
            visits.extend(
                visitors
                    .filter(|(_, visitor)| visitor % shares == share)
                    .map(|(row, visitor)| (visitor, u64::from(block.interval[row]))),
            );
            Ok(())
        })?;
        visits.sort_unstable();
        visits.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        all += number(visits.len());
        best.append(&mut visits);
        keep_first(&mut best, limit.as_usize(), |(visitor, visits)| {
            (Reverse(*visits), *visitor)
        });
    }
    let rows = best
        .into_iter()
        .map(|(visitor, count)| MetricRow {
            name: VisitorHash(visitor).to_string(),
            count,
        })
        .collect();
    Ok(Answer {
        rows,
        rows_before_limit: all,
        interval_max,
        sketched: false,
    })
}
