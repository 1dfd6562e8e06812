//! Visits by hour of the week.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{TaggedQuery, WeekQuery, WeekRow};
use slugline_domain::{HeatmapQuery, Variance, measure::fraction};

use super::{
    answer::{StdErrorView, Varies},
    filter::AnalyticsFilter,
    zone::{self, DEFAULT},
};
use crate::{Problem, scalars::BoolOrString, sent::Sent};

/// Which visits, and on whose clock.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HeatmapRequest {
    /// Time zone of weekdays and hours, such as Europe/Berlin.
    #[schemars(extend("default" = DEFAULT))]
    pub client_timezone: Sent<String>,
    /// Also divide by how often each hour was.
    pub average: Sent<BoolOrString>,
    /// Which visits.
    #[serde(flatten)]
    pub filter: AnalyticsFilter,
}

impl HeatmapRequest {
    /// Returns the time zone of the answer: UTC, if none was sent.
    pub fn zone(&self) -> String {
        zone::in_force(&self.client_timezone)
    }

    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is invalid.
    pub fn validate(&self) -> Result<TaggedQuery<WeekQuery>, Problem> {
        self.filter.query(|validation, filter| {
            let zone = zone::validate(validation, &self.client_timezone, &filter);
            Some(WeekQuery {
                heatmap: HeatmapQuery { filter, zone },
                average: validation.flag("average", &self.average),
            })
        })
    }
}

/// One hour of the week, over all weeks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HourView {
    /// 1 for Monday to 7 for Sunday.
    #[schemars(range(min = 1, max = 7))]
    pub weekday: u8,
    /// 0 to 23.
    #[schemars(range(min = 0, max = 23))]
    pub hour: u8,
    /// Visits in it.
    pub visits: u64,
    /// Distinct visitors in it.
    pub visitors: u64,
    /// Standard error, if estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub std_error: Option<StdErrorView>,
    /// The same for one such hour, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<HourAverage>,
}

/// Visits and visitors of one hour of the week, on average.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HourAverage {
    /// The number of such hours in the time asked about; parts of hours count as parts.
    pub hours: f64,
    /// Visits per hour.
    pub visits: f64,
    /// Distinct visitors of all such hours together, per hour.
    pub visitors: f64,
}

impl HourAverage {
    /// Divides by a number of hours; `None` if there was no such hour.
    fn of(visits: u64, visitors: u64, seconds: u64) -> Option<Self> {
        const HOUR: f64 = 3_600.0;
        let hours = fraction(seconds) / HOUR;
        (seconds > 0).then(|| Self {
            hours: rounded(hours),
            visits: rounded(fraction(visits) / hours),
            visitors: rounded(fraction(visitors) / hours),
        })
    }
}

/// Four digits after the point tell all that two averages can differ in.
fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

impl From<WeekRow> for HourView {
    fn from(WeekRow { row, seconds }: WeekRow) -> Self {
        let average = |seconds| HourAverage::of(row.visits, row.visitors, seconds);
        Self {
            average: seconds.and_then(average),
            weekday: row.hour.weekday(),
            hour: row.hour.hour(),
            visits: row.visits,
            visitors: row.visitors,
            std_error: StdErrorView::of(row.variance),
        }
    }
}

impl Varies for WeekRow {
    fn variance(&self) -> Variance {
        self.row.variance
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};
    use slugline_domain::{HeatmapRow, HourOfWeek};

    use super::*;
    use crate::reader::{query_to_json, read};

    #[test]
    fn averages_are_given_if_asked_for() {
        let validate = |query: &str| {
            let request = read::<HeatmapRequest>(&query_to_json(query)).unwrap();
            request.validate().map(|asked| asked.query.average)
        };
        assert_eq!(validate(""), Ok(false));
        assert_eq!(validate("average=false"), Ok(false));
        assert_eq!(validate("average=true"), Ok(true));
        let problem = validate("average=mean").unwrap_err();
        assert_eq!(problem.issues[0].path, ["average"]);
    }

    #[test]
    fn an_average_is_per_hour_and_missing_where_there_was_no_such_hour() {
        let shown = |seconds| {
            let row = HeatmapRow {
                hour: HourOfWeek::new(9).unwrap(),
                visits: 10,
                visitors: 7,
                variance: Variance::default(),
            };
            to_value(HourView::from(WeekRow { row, seconds })).unwrap()
        };
        let mut expected = json!({"weekday": 1, "hour": 9, "visits": 10, "visitors": 7});
        assert_eq!(shown(None), expected);
        assert_eq!(shown(Some(0)), expected);
        expected["average"] = json!({"hours": 4.5, "visits": 2.2222, "visitors": 1.5556});
        assert_eq!(shown(Some(16_200)), expected);
        assert_eq!(fraction(10_000_000_001).to_string(), "10000000001");
    }
}
