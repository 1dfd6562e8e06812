//! The question for the most frequent values of a dimension.

use slugline_domain::{Dimension, MetricRow, MetricsQuery};

use super::{
    answer::WithTotal,
    row_binary::{Cursor, DecodeError, ReadRow},
    sql::{asked, column},
};
use crate::visitor::VisitorHash;

/// The statement and the function that reads its rows.
pub(super) fn statement(query: &MetricsQuery) -> (String, ReadRow<WithTotal<MetricRow>>) {
    let asked = asked(&query.filter);
    let column = column(query.dimension);
    let limit = query.limit.get();
    let sql = format!(
        "SELECT k, v, count() OVER () AS n, max(m) OVER () AS largest FROM \
            (SELECT {column} AS k, sum(sampling_interval) AS v, max(sampling_interval) AS m \
             FROM {asked} GROUP BY k) \
         ORDER BY v DESC, k LIMIT {limit}"
    );
    (sql, reader(query.dimension))
}

fn reader(dimension: Dimension) -> ReadRow<WithTotal<MetricRow>> {
    match dimension {
        Dimension::Ip => |row| {
            let name = VisitorHash(row.u64()?).to_string();
            counted(name, row)
        },
        Dimension::Latitude | Dimension::Longitude => |row| {
            let name = row.degrees()?.to_string();
            counted(name, row)
        },
        Dimension::Slug
        | Dimension::Url
        | Dimension::UserAgent
        | Dimension::Referer
        | Dimension::Country
        | Dimension::Region
        | Dimension::City
        | Dimension::Timezone
        | Dimension::Language
        | Dimension::Os
        | Dimension::Browser
        | Dimension::BrowserType
        | Dimension::Device
        | Dimension::DeviceType
        | Dimension::Colo => |row| {
            let name = row.text()?;
            counted(name, row)
        },
    }
}

fn counted(name: String, row: &mut Cursor<'_>) -> Result<WithTotal<MetricRow>, DecodeError> {
    let count = row.u64()?;
    WithTotal::read(MetricRow { name, count }, row)
}
