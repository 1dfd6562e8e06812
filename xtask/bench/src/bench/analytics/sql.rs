//! The questions in SQL, about the table of visits.

use super::list::{Question, Shape};

/// A database's own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    ClickHouse,
    DuckDb,
}

impl Dialect {
    fn table(self) -> &'static str {
        match self {
            Self::ClickHouse => "access_log",
            Self::DuckDb => "visit",
        }
    }

    fn distinct(self, column: &str) -> String {
        match self {
            Self::ClickHouse => format!("uniqExact({column})"),
            Self::DuckDb => format!("count(DISTINCT {column})"),
        }
    }

    /// The beginning of a unit of local time.
    fn unit(self, unit: &str, moment: &str, zone: &str) -> String {
        match self {
            // As a number of local time, because an hour that a clock repeats is one.
            Self::ClickHouse => {
                format!("toYYYYMMDDhhmmss(dateTrunc('{unit}', {moment}, '{zone}'))")
            }
            Self::DuckDb => format!("date_trunc('{unit}', {moment} AT TIME ZONE '{zone}')"),
        }
    }

    /// The day of the week and the hour of local time, with names.
    fn hour_of_week(self, moment: &str, zone: &str) -> String {
        match self {
            Self::ClickHouse => {
                format!("toDayOfWeek({moment}, 0, '{zone}') AS d, toHour({moment}, '{zone}') AS h")
            }
            Self::DuckDb => format!(
                "isodow({moment} AT TIME ZONE '{zone}') AS d, hour({moment} AT TIME ZONE '{zone}') AS h"
            ),
        }
    }

    fn moment(self) -> &'static str {
        match self {
            Self::ClickHouse => "toDateTime(intDiv(ts_ms, 1000), 'UTC')",
            Self::DuckDb => "moment",
        }
    }

    /// A question. The first column is the number of visits, the second of some the number of
    /// visitors. As many rows come as the API gave.
    pub(super) fn ask(self, question: &Question, rows: usize) -> String {
        let (from, until) = question.seconds();
        let source = format!(
            "FROM {} WHERE ts_ms >= {from}000 AND ts_ms < {until}000 {}",
            self.table(),
            question.only.sql()
        );
        match question.shape {
            Shape::Totals => format!(
                "SELECT count(*), {}, {} {source}",
                self.distinct("visitor"),
                self.distinct("nullif(referer, '')")
            ),
            Shape::Over(unit, zone) => {
                let t = format!("{} AS t", self.unit(unit, self.moment(), zone));
                self.grouped(&t, "t", &source)
            }
            Shape::Week(zone) => {
                let hours = self.hour_of_week(self.moment(), zone);
                self.grouped(&hours, "d, h", &source)
            }
            Shape::Top(columns) => format!(
                "SELECT count(*) AS n, {columns} {source} GROUP BY {columns} \
                 ORDER BY n DESC, {columns} LIMIT {rows}"
            ),
            Shape::Latest => format!("SELECT 1, * {source} ORDER BY ts_ms DESC LIMIT {rows}"),
        }
    }

    fn grouped(self, values: &str, names: &str, source: &str) -> String {
        format!(
            "SELECT count(*), {}, {values} {source} GROUP BY {names} ORDER BY {names}",
            self.distinct("visitor")
        )
    }
}
