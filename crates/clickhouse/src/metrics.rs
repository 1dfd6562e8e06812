//! The question for the most frequent values of a dimension.

use slugline_analytics::visitor::VisitorHash;
use slugline_domain::{Dimension, MetricRow, MetricsQuery};

use crate::{
    answer::{OF_EACH_VISITOR, WithTotal},
    row_binary::{Cursor, DecodeError, ReadRow},
    sql::{asked, column},
};

/// The statement and the function that reads its rows.
pub(crate) fn statement(query: &MetricsQuery) -> (String, ReadRow<WithTotal<MetricRow>>) {
    let asked = asked(&query.filter);
    let column = column(query.dimension);
    let limit = query.limit.get();
    let total = "count() OVER () AS n, sum(visits) OVER () AS total";
    let end = format!("ORDER BY visits DESC, k LIMIT {limit}");
    if query.visitors {
        let sql = format!(
            "SELECT k, visits, visitors, {total} FROM \
                (SELECT k, sum(v) AS visits, sum(u) AS visitors FROM \
                    (SELECT {column} AS k, {OF_EACH_VISITOR} FROM {asked} GROUP BY k, visitor) \
                 GROUP BY k) {end}"
        );
        return (sql, reader::<true>(query.dimension));
    }
    let sql = format!(
        "SELECT k, visits, {total} FROM \
            (SELECT {column} AS k, sum(sampling_interval) AS visits \
             FROM {asked} GROUP BY k) {end}"
    );
    (sql, reader::<false>(query.dimension))
}

/// Reads visitors between visits and totals if the statement has them.
fn reader<const VISITORS: bool>(dimension: Dimension) -> ReadRow<WithTotal<MetricRow>> {
    if dimension == Dimension::Ip {
        return |row| {
            let name = VisitorHash(row.u64()?).to_string();
            counted::<VISITORS>(name, row)
        };
    }
    if dimension.is_degrees() {
        return |row| {
            let name = row.degrees()?.to_string();
            counted::<VISITORS>(name, row)
        };
    }
    |row| {
        let name = row.text()?;
        counted::<VISITORS>(name, row)
    }
}

fn counted<const VISITORS: bool>(
    name: String,
    row: &mut Cursor<'_>,
) -> Result<WithTotal<MetricRow>, DecodeError> {
    let count = row.u64()?;
    let visitors = if VISITORS { Some(row.u64()?) } else { None };
    let metric = MetricRow {
        name,
        count,
        visitors,
    };
    WithTotal::read(metric, row)
}
