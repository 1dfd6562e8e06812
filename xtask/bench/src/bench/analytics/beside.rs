//! What the access log is measured beside.

use clap::ValueEnum;

/// A value of `--beside`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Beside {
    /// ClickHouse and DuckDB.
    All,
    /// ClickHouse with the table of visits and its totals.
    Clickhouse,
    /// A scan of its own visits.
    Nothing,
}

impl Beside {
    /// The name of the folder of the data.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Clickhouse => "clickhouse-alone",
            Self::All | Self::Nothing => "others",
        }
    }
}
