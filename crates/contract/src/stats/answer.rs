//! The shape that all tables of numbers share on the wire, and rows of totals and of places.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use slugline_application::Counted;
use slugline_domain::{
    CounterRow, Derivation, Dimension, LocationRow, Report, SamplingNote, Variance,
};

use crate::unknown::nearest;

/// Rows, and how far they can be trusted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Answer")]
pub struct Answer<T> {
    /// The rows.
    pub data: Vec<T>,
    /// The number of rows.
    pub rows: usize,
    /// The number of rows without a limit.
    pub rows_before_limit_at_least: u64,
    /// Tells if the numbers are exact.
    pub sampling: SamplingView,
    /// Zone of the clock that the rows are on, where they are on one. UTC where the question named no zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Why the answer counts nothing, or names no place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Cow<'static, str>>,
}

impl<T> Answer<T> {
    /// Adds the time zone of the rows to the answer.
    #[must_use]
    pub fn in_zone(self, zone: String) -> Self {
        Self {
            timezone: Some(zone),
            ..self
        }
    }
}

/// Tells if numbers are counts or estimates.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SamplingView {
    /// The most visits that one stored row stands for; 1 if none were sampled.
    pub interval_max: u32,
    /// True if the numbers are exact counts.
    pub exact: bool,
    /// Visits of the time asked about that were not stored, because they came faster than they could be written. Counted by the minute and for all links together.
    pub dropped: u64,
    /// The largest standard error of a row; left out if nothing was estimated, or nothing tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub std_error: Option<StdErrorView>,
    /// Stored visits that the answer lacks because they are damaged; left out when there are none. `slugline doctor` names the damage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damaged: Option<u64>,
}

/// The standard error of estimated visits and visitors.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "StdErrorView")]
pub struct StdErrorView {
    /// Of visits; 95 % are within 1.96 of it.
    pub visits: f64,
    /// Of visitors.
    pub visitors: f64,
}

impl StdErrorView {
    /// Returns the standard error, unless it is zero.
    pub(super) fn of(variance: Variance) -> Option<Self> {
        let hundredths = |error: f64| (error * 100.0).round() / 100.0;
        variance.std_error().map(|error| Self {
            visits: hundredths(error.visits),
            visitors: hundredths(error.visitors),
        })
    }
}

/// A row whose numbers may be estimates.
pub(super) trait Varies {
    /// The variance of its numbers, if anything tells it.
    fn variance(&self) -> Variance {
        Variance::default()
    }
}

impl<R: Varies, T: From<R>> From<Counted<R>> for Answer<T> {
    fn from(counted: Counted<R>) -> Self {
        let values = counted.impossible.iter();
        let reasons = no_link(&counted.absent)
            .into_iter()
            .chain(values.map(|(dimension, value)| no_visit(*dimension, value)));
        let reasons: Vec<String> = reasons.collect();
        Self {
            note: (!reasons.is_empty()).then(|| reasons.join("; ").into()),
            ..counted.report.into()
        }
    }
}

/// Says which slugs no link has.
fn no_link(absent: &[String]) -> Option<String> {
    let slugs: Vec<String> = absent.iter().map(|slug| format!("{slug:?}")).collect();
    let plural = if slugs.len() > 1 { "s" } else { "" };
    let note = format!("no link has the slug{plural} {}", slugs.join(", "));
    (!slugs.is_empty()).then_some(note)
}

/// Says that no visit can have a value, and which ones there are.
fn no_visit(dimension: Dimension, value: &str) -> String {
    let rules = dimension.derivation();
    let possible = rules.and_then(Derivation::values).unwrap_or_default();
    let possible: Vec<String> = possible.into_iter().map(str::to_owned).collect();
    let name = dimension.name();
    match nearest(value, &possible) {
        Some(meant) => format!("no {name} is {value:?}, did you mean {meant:?}?"),
        None => format!("no {name} is {value:?}; there are {}", possible.join(", ")),
    }
}

impl<R: Varies, T: From<R>> From<Report<R>> for Answer<T> {
    fn from(report: Report<R>) -> Self {
        let variances = report.rows.iter().map(Varies::variance);
        let largest = variances.fold(Variance::default(), Variance::max);
        let data: Vec<T> = report.rows.into_iter().map(T::from).collect();
        Self {
            rows: data.len(),
            rows_before_limit_at_least: report.rows_before_limit,
            data,
            sampling: SamplingView {
                std_error: StdErrorView::of(largest),
                ..report.sampling.into()
            },
            timezone: None,
            note: None,
        }
    }
}

impl From<SamplingNote> for SamplingView {
    fn from(note: SamplingNote) -> Self {
        Self {
            interval_max: note.interval_max.get(),
            exact: note.exact(),
            dropped: note.dropped,
            std_error: None,
            damaged: (note.damaged > 0).then_some(note.damaged),
        }
    }
}

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

/// A place and its visits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LocationView {
    /// City with its country; empty when unknown.
    pub city: String,
    /// Degrees north of the equator, to two decimals.
    pub latitude: f64,
    /// Degrees east of Greenwich, to two decimals.
    pub longitude: f64,
    /// Visits from there.
    pub count: u64,
}

/// Like values, places are ranked by their estimates.
impl Varies for LocationRow {}

impl From<LocationRow> for LocationView {
    fn from(row: LocationRow) -> Self {
        Self {
            city: row.city,
            latitude: row.latitude.into(),
            longitude: row.longitude.into(),
            count: row.count,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};
    use slugline_domain::{MetricRow, SamplingInterval};

    use super::*;
    use crate::stats::MetricView;

    #[test]
    fn an_answer_says_whether_it_is_an_estimate_and_whether_it_is_all() {
        let report = Report {
            rows: vec![MetricRow {
                name: "DE".into(),
                count: 3,
                visitors: None,
            }],
            rows_before_limit: 7,
            others: 9,
            sampling: SamplingNote {
                interval_max: SamplingInterval::EVERY,
                dropped: 4,
                damaged: 0,
                sketched: false,
            },
        };
        assert_eq!(
            to_value(Answer::<MetricView>::from(report)).unwrap(),
            json!({
                "data": [{"name": "DE", "count": 3}],
                "rows": 1, "rows_before_limit_at_least": 7,
                "sampling": {"interval_max": 1, "exact": false, "dropped": 4},
            })
        );
    }

    #[test]
    fn an_answer_that_counts_nothing_names_what_cannot_be_found() {
        let note = |absent: &[&str], impossible: &[(Dimension, &str)]| {
            let report = Report {
                rows: Vec::<MetricRow>::new(),
                rows_before_limit: 0,
                others: 0,
                sampling: SamplingNote::EXACT,
            };
            let absent = absent.iter().map(|&slug| slug.to_owned()).collect();
            let impossible = impossible
                .iter()
                .map(|&(dimension, value)| (dimension, value.to_owned()));
            let counted = Counted {
                report,
                absent,
                impossible: impossible.collect(),
            };
            Answer::<MetricView>::from(counted).note
        };
        assert_eq!(note(&[], &[]), None);
        let channel = |value| [(Dimension::Channel, value)];
        for (slugs, values, expected) in [
            (&["helo"][..], &[][..], r#"no link has the slug "helo""#),
            (&["a", "b"], &[], r#"no link has the slugs "a", "b""#),
            (
                &["a"],
                &channel("socail"),
                r#"no link has the slug "a"; no channel is "socail", did you mean "social"?"#,
            ),
            (
                &[],
                &channel("telephone"),
                "no channel is \"telephone\"; there are ai-assistant, campaign, direct, mail, \
                 referral, search, social",
            ),
        ] {
            assert_eq!(note(slugs, values).unwrap(), expected);
        }
    }

    #[test]
    fn an_answer_that_lacks_damaged_visits_says_how_many() {
        let note = SamplingNote {
            interval_max: SamplingInterval::EVERY,
            dropped: 0,
            damaged: 7,
            sketched: false,
        };
        assert_eq!(
            to_value(SamplingView::from(note)).unwrap(),
            json!({"interval_max": 1, "exact": false, "dropped": 0, "damaged": 7})
        );
    }

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
