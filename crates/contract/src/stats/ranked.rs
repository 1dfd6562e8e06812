//! The first rows of many, and the visits of the others.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_application::Counted;
use slugline_domain::Report;

use super::answer::{Answer, Varies};

/// The rows with the most visits, and the visits that they leave out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Answer")]
pub struct Ranked<T> {
    /// The rows.
    #[serde(flatten)]
    pub answer: Answer<T>,
    /// Visits that match the question and are in no row. Visitors have no such number, because one may be in several rows.
    pub others: u64,
}

impl<R: Varies, T: From<R>> From<Counted<R>> for Ranked<T> {
    fn from(counted: Counted<R>) -> Self {
        Self {
            others: counted.report.others,
            answer: counted.into(),
        }
    }
}

impl<R: Varies, T: From<R>> From<Report<R>> for Ranked<T> {
    fn from(report: Report<R>) -> Self {
        Self {
            others: report.others,
            answer: report.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};
    use slugline_domain::{MetricRow, SamplingNote};

    use super::*;
    use crate::stats::MetricView;

    #[test]
    fn the_visits_that_no_row_has_stand_beside_the_rows() {
        let report = Report {
            rows: vec![MetricRow {
                name: "DE".into(),
                count: 3,
                visitors: None,
            }],
            rows_before_limit: 7,
            others: 9,
            sampling: SamplingNote::EXACT,
        };
        assert_eq!(
            to_value(Ranked::<MetricView>::from(report)).unwrap(),
            json!({
                "data": [{"name": "DE", "count": 3}],
                "rows": 1, "rows_before_limit_at_least": 7, "others": 9,
                "sampling": {"interval_max": 1, "exact": true, "dropped": 0},
            })
        );
    }
}
