//! The questions for the most frequent values of a dimension, and for the most frequent places.

use slugline_analytics::{
    columns::{column_of, text_of},
    visitor::VisitorHash,
};
use slugline_domain::{Dimension, LocationRow, LocationsQuery, MetricRow, MetricsQuery, RowLimit};

use super::{
    answer::Answer,
    filter::RowFilter,
    frequent::Frequent,
    groups::Ranking,
    plan::Plan,
    shown_visitors::{self, degrees},
};
use crate::{
    file::{error::EngineError, snapshot::Snapshot},
    format::block::Column,
};

/// Computes the rows.
pub(crate) fn answer(
    snapshot: &Snapshot<'_>,
    query: &MetricsQuery,
) -> Result<Answer<MetricRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let mut answer = most_frequent(snapshot, &filter, query)?;
    if query.visitors {
        let names: Vec<&str> = answer.rows.iter().map(|row| row.name.as_str()).collect();
        let (visitors, sketched) =
            shown_visitors::count(snapshot, &filter, query.dimension, &names)?;
        for (row, visitors) in answer.rows.iter_mut().zip(visitors) {
            row.visitors = Some(visitors);
        }
        answer.sketched |= sketched;
    }
    Ok(answer)
}

fn most_frequent(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
    query: &MetricsQuery,
) -> Result<Answer<MetricRow>, EngineError> {
    let limit = query.limit;
    let Some(column) = column_of(query.dimension) else {
        return by_visitor(snapshot, filter, limit);
    };
    if query.dimension.is_degrees() {
        return by_text(snapshot, filter, column, limit, degrees);
    }
    by_text(snapshot, filter, column, limit, str::to_owned)
}

fn by_text<K: Ord + Send + ToString>(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
    column: usize,
    limit: RowLimit,
    label: impl Fn(&str) -> K + Sync,
) -> Result<Answer<MetricRow>, EngineError> {
    let mut ranking = Ranking::count(snapshot, filter, [column])?;
    let first = ranking.first(limit, |[text]| Some(label(text)));
    Ok(Answer::of(first).map(|(name, count)| MetricRow {
        name: name.to_string(),
        count,
        visitors: None,
    }))
}

fn by_visitor(
    snapshot: &Snapshot<'_>,
    filter: &RowFilter,
    limit: RowLimit,
) -> Result<Answer<MetricRow>, EngineError> {
    let mut frequent = Frequent::within(snapshot.memory().ranking());
    let plan = Plan::of_rows(filter);
    let pass = |frequent: &mut Frequent| {
        snapshot.scan(&plan, &[Column::Visitor, Column::Interval], |block| {
            for row in 0..block.rows {
                frequent.add(block.visitor.at(row), block.interval.at(row));
            }
            Ok(())
        })
    };
    pass(&mut frequent)?;
    if frequent.begins_again() {
        pass(&mut frequent)?;
    }
    let visitors = Answer::of(frequent.first(limit));
    Ok(visitors.map(|(visitor, count)| MetricRow {
        name: VisitorHash(visitor).to_string(),
        count,
        visitors: None,
    }))
}

/// Computes the rows.
pub(crate) fn answer_places(
    snapshot: &Snapshot<'_>,
    query: &LocationsQuery,
) -> Result<Answer<LocationRow>, EngineError> {
    let filter = RowFilter::resolve(snapshot.db(), &query.filter)?;
    let shown = [Dimension::City, Dimension::Latitude, Dimension::Longitude].map(text_of);
    let mut ranking = Ranking::count(snapshot, &filter, shown)?;
    let is_known = |degrees: &str| degrees != "0.00";
    let first = ranking.first(query.limit, |[city, latitude, longitude]| {
        let has_place = is_known(latitude) && is_known(longitude);
        has_place.then(|| (city, degrees(latitude), degrees(longitude)))
    });
    Ok(
        Answer::of(first).map(|((city, latitude, longitude), count)| LocationRow {
            city: city.to_owned(),
            latitude,
            longitude,
            count,
        }),
    )
}
