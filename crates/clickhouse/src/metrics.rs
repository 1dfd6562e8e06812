//! The question for the most frequent values of a dimension.

use slugline_analytics::visitor::VisitorHash;
use slugline_domain::{Dimension, MetricRow, MetricsQuery};

use crate::{
    answer::{OF_EACH_VISITOR, WithTotal},
    days::{Rest, Wanted},
    row_binary::{Cursor, DecodeError, ReadRow},
    sql::{column, on_column},
};

/// The parts of day totals that the question needs.
pub(crate) fn wanted(query: &MetricsQuery) -> Wanted {
    Wanted {
        list: Some(query.dimension.column()),
        ranked: Some(query.dimension),
        visitors: query.visitors,
    }
}

/// The statement and the function that reads its rows.
pub(crate) fn statement(
    query: &MetricsQuery,
    rest: &Rest,
) -> (String, ReadRow<WithTotal<MetricRow>>) {
    let (of_each, groups) = if query.visitors {
        (OF_EACH_VISITOR, "k, visitor")
    } else {
        ("sum(sampling_interval) AS v", "k")
    };
    let (numbers, sums, names) = if query.visitors {
        let sums = "sum(v) AS visits, sum(u) AS visitors";
        ("visits AS v, visitors AS u", sums, "visits, visitors")
    } else {
        ("visits AS v", "sum(v) AS visits", "visits")
    };
    let column = column(query.dimension);
    let rows = rest.rows(
        &query.filter,
        |asked| format!("SELECT {column} AS k, {of_each} FROM {asked} GROUP BY {groups}"),
        |values| of_values(values, query, numbers),
    );
    let limit = query.limit.get();
    let sql = format!(
        "SELECT k, {names}, count() OVER () AS n, sum(visits) OVER () AS total \
         FROM (SELECT k, {sums} FROM ({rows}) GROUP BY k) ORDER BY visits DESC, k LIMIT {limit}"
    );
    let read = if query.visitors {
        reader::<true>(query.dimension)
    } else {
        reader::<false>(query.dimension)
    };
    (sql, read)
}

/// The values of days with totals that meet the conditions on the ranked column.
fn of_values(values: &str, query: &MetricsQuery, numbers: &str) -> String {
    let value = if query.dimension.is_degrees() {
        "toDecimal32OrZero(value, 2)"
    } else {
        "value"
    };
    let is_ranked = |(dimension, _): &&(Dimension, _)| *dimension == query.dimension;
    let conditions = query.filter.values.iter().filter(is_ranked);
    let conditions = on_column(value, conditions);
    format!("SELECT {value} AS k, {numbers} FROM {values}{conditions}")
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
