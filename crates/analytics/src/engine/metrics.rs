//! The question for the most frequent values of a dimension.

use std::cmp::Reverse;

use rusqlite::Row;
use slugline_domain::{Degrees, MetricRow, MetricsQuery, RowLimit, SamplingInterval};

use super::{
    answer::Answer,
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

/// Rows that are held at the same time: 16 bytes each and room to grow, so some
/// 100 MiB.
const ROWS_AT_A_TIME: u64 = 1 << 22;

/// Lists that they are sorted in. Each fits the processor's cache.
const LISTS: usize = 256;

/// Nearly every visitor may be another one, so what is looked for is a needle
/// in a haystack that does not fit the memory. It is gone through in shares of
/// visitors.
fn by_visitor(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
    limit: RowLimit,
) -> Result<Answer<MetricRow>, EngineError> {
    let shares = snapshot.rows_at_most(filter)? / ROWS_AT_A_TIME + 1;
    let shares = usize::try_from(shares).unwrap_or(usize::MAX / LISTS);
    let mut best: Vec<(u64, u64)> = Vec::new();
    let mut all = 0;
    let mut interval_max = SamplingInterval::EVERY;
    for share in 0..shares {
        let mut lists: Vec<Vec<(u64, u32)>> = vec![Vec::new(); LISTS];
        interval_max = snapshot.scan(filter, &[Column::Visitor], |block| {
            for (&visitor, &interval) in block.visitor.iter().zip(&block.interval) {
                let place = place(visitor, shares * LISTS);
                if place / LISTS == share {
                    lists[place % LISTS].push((visitor, interval));
                }
            }
            Ok(())
        })?;
        for mut list in lists {
            list.sort_unstable_by_key(|&(visitor, _)| visitor);
            for visits in list.chunk_by(|(one, _), (other, _)| one == other) {
                let sum = visits
                    .iter()
                    .map(|&(_, interval)| u64::from(interval))
                    .sum();
                best.push((visits[0].0, sum));
                all += 1;
            }
        }
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

/// Which of `places` equal parts of all hashes one is in.
fn place(hash: u64, places: usize) -> usize {
    let places = u128::try_from(places).expect("a pointer's size fits 128 bits");
    usize::try_from((u128::from(hash) * places) >> 64).expect("it is below `places`")
}
