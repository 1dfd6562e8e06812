//! The questions for the most frequent values and places.

use slugline_analytics::visitor::VisitorHash;
use slugline_domain::{
    Degrees, Dimension, LocationRow, LocationsQuery, MetricRow, MetricsQuery, Report, SamplingNote,
};

use crate::{
    counts::OF_EACH_VISITOR,
    row_binary::{Cursor, DecodeError, ReadRow},
    sql::{asked, column},
    totals::{VisitSource, asked_for},
};

/// A row of a limited list, with the number of all rows and their visits.
#[derive(Debug)]
pub(crate) struct Listed<R> {
    row: R,
    all: u64,
    visits: u64,
}

impl<R> Listed<R> {
    fn read(row: R, cursor: &mut Cursor<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            row,
            all: cursor.u64()?,
            visits: cursor.u64()?,
        })
    }
}

/// An answer with a row limit: the rows that it shows, and the visits of the others.
pub(crate) fn report<R>(
    rows: Vec<Listed<R>>,
    is_shown: fn(&R) -> bool,
    visits_of: fn(&R) -> u64,
    sampling: SamplingNote,
) -> Report<R> {
    let (all, visits) = rows.first().map_or((0, 0), |row| (row.all, row.visits));
    let rows = rows.into_iter().map(|row| row.row).filter(is_shown);
    let rows: Vec<R> = rows.collect();
    let shown: u64 = rows.iter().map(visits_of).sum();
    Report {
        others: visits.saturating_sub(shown),
        rows_before_limit: all,
        rows,
        sampling,
    }
}

/// The statement for values, and the function that reads its rows. A visitor has to be in one group,
/// so visitors of values have no totals.
pub(crate) fn metrics(query: &MetricsQuery) -> (String, ReadRow<Listed<MetricRow>>) {
    let MetricsQuery {
        filter, dimension, ..
    } = query;
    let (of_each, groups, sums, names, visits) = if query.visitors {
        (
            OF_EACH_VISITOR,
            "k, visitor",
            "sum(v) AS visits, sum(u) AS visitors",
            "visits, visitors",
            VisitSource::Visits(asked(filter)),
        )
    } else {
        (
            "sum(sampling_interval) AS v",
            "k",
            "sum(v) AS visits",
            "visits",
            asked_for(filter, &[*dimension], false),
        )
    };
    let column = column(*dimension);
    let part = |part| format!("SELECT {column} AS k, {of_each} FROM {part} GROUP BY {groups}");
    let rows: Vec<String> = visits.parts().iter().map(part).collect();
    let sql = format!(
        "SELECT k, {names}, count() OVER () AS n, sum(visits) OVER () AS total \
         FROM (SELECT k, {sums} FROM ({}) GROUP BY k) ORDER BY visits DESC, k LIMIT {}",
        rows.join(" UNION ALL "),
        query.limit.get()
    );
    let read = if query.visitors {
        metric_reader::<true>(*dimension)
    } else {
        metric_reader::<false>(*dimension)
    };
    (sql, read)
}

/// Reads visitors between visits and totals if the statement has them.
fn metric_reader<const VISITORS: bool>(dimension: Dimension) -> ReadRow<Listed<MetricRow>> {
    if dimension == Dimension::Ip {
        return |row| {
            let name = VisitorHash(row.u64()?).to_string();
            read_metric::<VISITORS>(name, row)
        };
    }
    if dimension.is_degrees() {
        return |row| {
            let name = row.degrees()?.to_string();
            read_metric::<VISITORS>(name, row)
        };
    }
    |row| {
        let name = row.text()?;
        read_metric::<VISITORS>(name, row)
    }
}

fn read_metric<const VISITORS: bool>(
    name: String,
    row: &mut Cursor<'_>,
) -> Result<Listed<MetricRow>, DecodeError> {
    let count = row.u64()?;
    let visitors = if VISITORS { Some(row.u64()?) } else { None };
    let metric = MetricRow {
        name,
        count,
        visitors,
    };
    Listed::read(metric, row)
}

/// The statement for places; [`read_location`] reads its rows. Unknown places come last instead of
/// being left out, because their visits are among the others; [`is_known`] recognises them.
pub(crate) fn locations(query: &LocationsQuery) -> String {
    let (asked, limit) = (asked(&query.filter), query.limit.get());
    format!(
        "SELECT city, latitude, longitude, v, countIf(known) OVER () AS n, \
                sum(v) OVER () AS total FROM \
            (SELECT city, latitude, longitude, latitude != 0 AND longitude != 0 AS known, \
                    sum(sampling_interval) AS v \
             FROM {asked} GROUP BY city, latitude, longitude) \
         ORDER BY known DESC, v DESC, city, latitude, longitude LIMIT {limit}"
    )
}

pub(crate) fn read_location(row: &mut Cursor<'_>) -> Result<Listed<LocationRow>, DecodeError> {
    let place = LocationRow {
        city: row.text()?,
        latitude: row.degrees()?,
        longitude: row.degrees()?,
        count: row.u64()?,
    };
    Listed::read(place, row)
}

pub(crate) fn is_known(place: &LocationRow) -> bool {
    place.latitude != Degrees::ZERO && place.longitude != Degrees::ZERO
}
