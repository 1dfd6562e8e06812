//! Visits over time.

use jiff::{Timestamp, tz::TimeZone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::{Counted, TaggedQuery};
use slugline_domain::{LocalSeconds, TimeUnit, Variance, ViewRow, ViewsQuery};

use super::{
    answer::{Answer, StdErrorView, Varies},
    filter::AnalyticsFilter,
    zone::{self, DEFAULT},
};
use crate::{
    Problem,
    sent::{Sent, options, same_variants},
};

/// Which visits, how long a row lasts, and on whose clock.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["unit"]))]
pub struct ViewsRequest {
    /// The length of a row.
    pub unit: Sent<Unit>,
    /// Time zone in which rows begin, such as Europe/Berlin.
    #[schemars(extend("default" = DEFAULT))]
    pub client_timezone: Sent<String>,
    /// Which visits.
    #[serde(flatten)]
    pub filter: AnalyticsFilter,
}

impl ViewsRequest {
    /// Returns the time zone of the answer: UTC, if none was sent.
    pub fn zone(&self) -> String {
        zone::in_force(&self.client_timezone)
    }

    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is invalid.
    pub fn validate(&self) -> Result<TaggedQuery<ViewsQuery>, Problem> {
        self.filter.query(|validation, filter| {
            Some(ViewsQuery {
                zone: zone::validate(validation, &self.client_timezone, &filter),
                filter,
                unit: (*validation.there(&["unit"], &self.unit)?).into(),
            })
        })
    }
}

impl TimeBucket {
    /// Shows the answer to a query for rows of this length.
    pub fn answer(unit: TimeUnit, counted: Counted<ViewRow>) -> Answer<Self> {
        let variances = counted.report.rows.iter().map(|row| row.variance);
        let largest = variances.fold(Variance::default(), Variance::max);
        let mut answer = Answer::from(Counted {
            report: counted.report.map(|row| Self::new(row, unit)),
            absent: counted.absent,
            impossible: counted.impossible,
        });
        answer.sampling.std_error = StdErrorView::of(largest);
        answer
    }
}

/// The length of a row of views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum Unit {
    /// A minute.
    Minute,
    /// An hour.
    Hour,
    /// A day.
    Day,
}

options!(Unit);

same_variants!(Unit => TimeUnit: Minute, Hour, Day);

/// One minute, hour or day that has visits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ViewView")]
pub struct TimeBucket {
    /// When it began, on the clock asked for: YYYY-MM-DD HH:mm, YYYY-MM-DD HH or YYYY-MM-DD.
    pub time: String,
    /// Visits in it.
    pub visits: u64,
    /// Distinct visitors in it. When visits are sampled, the fifth and later visits of a visitor to a link in an hour do not count here, so a short row may show too few.
    pub visitors: u64,
    /// Standard error, if estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub std_error: Option<StdErrorView>,
}

impl Varies for TimeBucket {}

impl TimeBucket {
    fn new(row: ViewRow, unit: TimeUnit) -> Self {
        Self {
            time: text(row.start, unit),
            visits: row.visits,
            visitors: row.visitors,
            std_error: StdErrorView::of(row.variance),
        }
    }
}

fn text(start: LocalSeconds, unit: TimeUnit) -> String {
    let format = match unit {
        TimeUnit::Minute => "%Y-%m-%d %H:%M",
        TimeUnit::Hour => "%Y-%m-%d %H",
        TimeUnit::Day => "%Y-%m-%d",
    };
    // No clock reports a moment after the year 9999.
    let reading = Timestamp::from_second(start.get()).unwrap_or(Timestamp::MAX);
    TimeZone::UTC
        .to_datetime(reading)
        .strftime(format)
        .to_string()
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Report, SamplingInterval, SamplingNote, UtcOffset, ZoneOffsets};

    use super::*;
    use crate::reader::{query_to_json, read};

    fn request(query: &str) -> Result<ViewsRequest, Problem> {
        read::<ViewsRequest>(&query_to_json(query))
    }

    #[test]
    fn times_are_written_as_far_as_the_unit_goes() {
        for (unit, expected) in [
            ("minute", "2025-03-09 03:05"),
            ("hour", "2025-03-09 03"),
            ("day", "2025-03-09"),
        ] {
            let request = request(&format!("unit={unit}")).unwrap();
            let row = ViewRow {
                start: LocalSeconds::new(1_741_489_500),
                visits: 3,
                visitors: 2,
                variance: Variance::default(),
            };
            let unit = request.validate().unwrap().query.unit;
            let answer = TimeBucket::answer(
                unit,
                Counted {
                    report: Report {
                        rows: vec![row],
                        rows_before_limit: 1,
                        others: 0,
                        sampling: SamplingNote {
                            interval_max: SamplingInterval::EVERY,
                            damaged: 0,
                            dropped: 0,
                            sketched: false,
                        },
                    },
                    absent: Vec::new(),
                    impossible: Vec::new(),
                },
            );
            assert_eq!(answer.data[0].time, expected);
        }
    }

    #[test]
    fn faults_name_the_member() {
        for (query, path) in [
            ("", "unit"),
            ("unit=week", "unit"),
            ("unit=day&clientTimezone=a%20b", "clientTimezone"),
            ("unit=day&startAt=soon", "startAt"),
            ("unit=day&startAt=9&endAt=8", "endAt"),
        ] {
            let problem = request(query).and_then(|request| request.validate());
            assert_eq!(problem.unwrap_err().issues[0].path, [path], "{query}");
        }
    }

    #[test]
    fn the_zone_is_that_of_the_request() {
        let asked =
            request("unit=day&clientTimezone=Asia/Kathmandu&id=a&startAt=1740787200").unwrap();
        let query = asked.validate().unwrap().query;
        assert_eq!(
            query.zone,
            ZoneOffsets::fixed(UtcOffset::from_seconds(20_700).unwrap())
        );
        assert_eq!(query.unit, TimeUnit::Day);
        assert!(!query.filter.links.is_everything());
        let query = request("unit=hour").unwrap().validate().unwrap().query;
        assert_eq!(query.zone, ZoneOffsets::default());
    }
}
