//! The question for the most frequent values of a dimension.

use slugline_domain::{MetricRow, MetricsQuery, RowLimit, SamplingInterval};

use super::Answer;
use crate::engine::{
    read::{
        filter::RowFilter,
        groups::{Ranking, most_first, ranked},
        scan::Snapshot,
        selection::{keep_first, number},
        shown_visitors::{self, degrees},
    },
    store::{
        columns::{Column, place_of},
        error::EngineError,
    },
};
use crate::visitor::VisitorHash;

/// Works the rows out.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    query: &MetricsQuery,
) -> Result<Answer<MetricRow>, EngineError> {
    let mut filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let mut answer = most_frequent(snapshot, &mut filter, query)?;
    if query.visitors {
        let names: Vec<&str> = answer.rows.iter().map(|row| row.name.as_str()).collect();
        let (visitors, sketched) =
            shown_visitors::count(snapshot, &mut filter, query.dimension, &names)?;
        for (row, visitors) in answer.rows.iter_mut().zip(visitors) {
            row.visitors = Some(visitors);
        }
        answer.sketched = sketched;
    }
    Ok(answer)
}

fn most_frequent(
    snapshot: &Snapshot<'_>,
    filter: &mut RowFilter,
    query: &MetricsQuery,
) -> Result<Answer<MetricRow>, EngineError> {
    let limit = query.limit;
    let Some(column) = place_of(query.dimension) else {
        return by_visitor(snapshot, filter, limit);
    };
    if query.dimension.is_degrees() {
        return by_text(snapshot, filter, column, limit, degrees);
    }
    by_text(snapshot, filter, column, limit, str::to_owned)
}

fn by_text<K: Ord + Send + ToString>(
    snapshot: &Snapshot<'_>,
    filter: &mut RowFilter,
    column: usize,
    limit: RowLimit,
    label: impl Fn(&str) -> K + Sync,
) -> Result<Answer<MetricRow>, EngineError> {
    let (ranking, interval_max) = Ranking::count(snapshot, filter, [column])?;
    let labels = ranking.labels(|[text]| Some(label(text)));
    let (rows, all) = ranked(labels, limit);
    Ok(Answer {
        rows,
        rows_before_limit: all,
        interval_max,
        sketched: false,
    }
    .map(|(name, count)| MetricRow {
        name: name.to_string(),
        count,
        visitors: None,
    }))
}

/// Rows that are held at the same time: 8 bytes each, 16 where visits are
/// sampled, and room to grow, so 100 to 200 MiB.
const ROWS_AT_A_TIME: u64 = 1 << 23;

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
        let mut lists: Vec<List> = Vec::new();
        lists.resize_with(LISTS, List::default);
        interval_max = snapshot.scan(filter, &[Column::Visitor], |block| {
            for row in 0..block.rows {
                let visitor = block.visitor.at(row);
                let place = place(visitor, shares * LISTS);
                if place / LISTS == share {
                    lists[place % LISTS].add(visitor, block.interval.at(row));
                }
            }
            Ok(())
        })?;
        for list in lists {
            let mut visits = list.visits();
            all += number(visits.len());
            best.append(&mut visits);
            keep_first(&mut best, limit, most_first);
        }
    }
    let rows = best
        .into_iter()
        .map(|(visitor, count)| MetricRow {
            name: VisitorHash(visitor).to_string(),
            count,
            visitors: None,
        })
        .collect();
    Ok(Answer {
        rows,
        rows_before_limit: all,
        interval_max,
        sketched: false,
    })
}

/// Rows of some visitors.
#[derive(Debug, Default)]
struct List {
    /// The visitors of rows that stand for themselves: all, on most logs.
    single: Vec<u64>,
    /// Those of other rows, with the intervals.
    sampled: Vec<(u64, u32)>,
}

impl List {
    fn add(&mut self, visitor: u64, interval: u32) {
        if interval == 1 {
            self.single.push(visitor);
        } else {
            self.sampled.push((visitor, interval));
        }
    }

    /// Each visitor with the visits.
    fn visits(mut self) -> Vec<(u64, u64)> {
        self.single.sort_unstable();
        let runs = self.single.chunk_by(|one, other| one == other);
        let mut visits: Vec<_> = runs.map(|run| (run[0], number(run.len()))).collect();
        if !self.sampled.is_empty() {
            let sampled = self.sampled.into_iter();
            visits.extend(sampled.map(|(visitor, interval)| (visitor, u64::from(interval))));
            visits.sort_unstable();
            visits.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
        }
        visits
    }
}

/// Which of `places` equal parts of all hashes one is in.
fn place(hash: u64, places: usize) -> usize {
    let places = u128::try_from(places).expect("a pointer's size fits 128 bits");
    usize::try_from((u128::from(hash) * places) >> 64).expect("it is below `places`")
}
