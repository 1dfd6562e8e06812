//! The question for the most frequent values of a dimension.

use slugline_domain::{MetricRow, MetricsQuery, RowLimit, SamplingInterval};

use super::Answer;
use crate::engine::{
    read::{
        daily_visitors::DailyVisitors,
        filter::RowFilter,
        frequent::{First, Frequent},
        groups::Ranking,
        shown_visitors::{self, degrees},
        snapshot::Snapshot,
    },
    store::{
        columns::{Column, place_of},
        error::EngineError,
        salted_days,
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
        answer.sketched |= sketched;
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
    let (mut ranking, interval_max) = Ranking::count(snapshot, filter, [column])?;
    let first = ranking.first(limit, |[text]| Some(label(text)));
    Ok(
        Answer::of(first, interval_max).map(|(name, count)| MetricRow {
            name: name.to_string(),
            count,
            visitors: None,
        }),
    )
}

fn by_visitor(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
    limit: RowLimit,
) -> Result<Answer<MetricRow>, EngineError> {
    let (first, interval_max) = match day_by_day(snapshot, filter, limit)? {
        Some(found) => found,
        None => of_all_days(snapshot, filter, limit)?,
    };
    Ok(
        Answer::of(first, interval_max).map(|(visitor, count)| MetricRow {
            name: VisitorHash(visitor).to_string(),
            count,
            visitors: None,
        }),
    )
}

/// The visitors with the most visits and the largest sampling interval.
type FirstVisitors = (First<u64>, SamplingInterval);

/// `None` if some visitors may be there on several days, or those of a day do not fit the
/// memory.
fn day_by_day(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
    limit: RowLimit,
) -> Result<Option<FirstVisitors>, EngineError> {
    if !salted_days::are_apart(snapshot.db(), filter.time_range())? {
        return Ok(None);
    }
    let mut daily = DailyVisitors::within(snapshot.memory().ranking(), limit);
    let interval_max = snapshot.scan(filter, &[Column::Visitor], |block| {
        daily.add(block);
        Ok(())
    })?;
    Ok(daily.finish().map(|first| (first, interval_max)))
}

/// Nearly every visitor may be another one, so what is looked for is a needle in a
/// haystack that does not fit the memory.
fn of_all_days(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
    limit: RowLimit,
) -> Result<FirstVisitors, EngineError> {
    let pass = |add: &mut (dyn FnMut(u64, u32) + Send)| {
        snapshot.scan(filter, &[Column::Visitor], |block| {
            for row in 0..block.rows {
                add(block.visitor.at(row), block.interval.at(row));
            }
            Ok(())
        })
    };
    let mut frequent = Frequent::within(snapshot.memory().ranking());
    let mut interval_max = pass(&mut |visitor, interval| frequent.add(visitor, interval))?;
    let counted = match frequent.again() {
        Ok(counted) => counted,
        Err(mut again) => {
            let interval = pass(&mut |visitor, interval| again.add(visitor, interval))?;
            interval_max = interval_max.max(interval);
            again.finish()
        }
    };
    Ok((counted.first(limit), interval_max))
}
