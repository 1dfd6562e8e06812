//! Counters on the wire.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_domain::{CounterRow, Variance};

use super::answer::{StdErrorView, Varies};

/// Totals over some visits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CounterView {
    /// The link, when links were named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Visits.
    pub visits: u64,
    /// Distinct visitors, summed over the periods in which visitors can be told apart (a day,
    /// unless set otherwise).
    pub visitors: u64,
    /// Distinct hosts of referring pages; a lower bound when sampled.
    pub referers: u64,
    /// Standard error, if estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub std_error: Option<StdErrorView>,
}

impl From<CounterRow> for CounterView {
    fn from(row: CounterRow) -> Self {
        Self {
            id: row.link.map(|id| id.to_string()),
            visits: row.counters.visits,
            visitors: row.counters.visitors,
            referers: row.counters.referers,
            std_error: StdErrorView::of(row.variance),
        }
    }
}

impl Varies for CounterRow {
    fn variance(&self) -> Variance {
        self.variance
    }
}
