//! Questions about visits on the wire.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_domain::{
    CounterRow, CountersReport, Dimension, LinkId, SamplingNote, UnixSeconds, VisitFilter,
};

use crate::{IssueCode, Lenient, absent::present, check::Checks, problem::Problem};

/// Which visits. Members take comma-separated lists of exact values; a visit
/// must match one value of every member that is given.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnalyticsFilter {
    /// Link ids. With it, the answer has one row per link.
    #[serde(default, deserialize_with = "present")]
    pub id: Option<String>,
    /// Destinations as they were at the visit.
    #[serde(default, deserialize_with = "present")]
    pub url: Option<String>,
    /// Slugs.
    #[serde(default, deserialize_with = "present")]
    pub slug: Option<String>,
    /// Hosts of referring pages.
    #[serde(default, deserialize_with = "present")]
    pub referer: Option<String>,
    /// Two-letter country codes.
    #[serde(default, deserialize_with = "present")]
    pub country: Option<String>,
    /// Regions.
    #[serde(default, deserialize_with = "present")]
    pub region: Option<String>,
    /// Cities.
    #[serde(default, deserialize_with = "present")]
    pub city: Option<String>,
    /// Time zones of visitors, such as Europe/Berlin.
    #[serde(default, deserialize_with = "present")]
    pub timezone: Option<String>,
    /// Languages, such as en-US.
    #[serde(default, deserialize_with = "present")]
    pub language: Option<String>,
    /// Operating systems.
    #[serde(default, deserialize_with = "present")]
    pub os: Option<String>,
    /// Browsers.
    #[serde(default, deserialize_with = "present")]
    pub browser: Option<String>,
    /// Kinds of browsers.
    #[serde(default, deserialize_with = "present")]
    pub browser_type: Option<String>,
    /// Device models.
    #[serde(default, deserialize_with = "present")]
    pub device: Option<String>,
    /// Kinds of devices.
    #[serde(default, deserialize_with = "present")]
    pub device_type: Option<String>,
    /// First second, in Unix seconds, inclusive; 0 for no beginning.
    #[serde(default, deserialize_with = "present")]
    pub start_at: Option<Lenient>,
    /// Last second, in Unix seconds, inclusive; 0 for no end.
    #[serde(default, deserialize_with = "present")]
    pub end_at: Option<Lenient>,
}

impl AnalyticsFilter {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that cannot be what it should be.
    pub fn check(&self) -> Result<VisitFilter, Problem> {
        let mut checks = Checks::default();
        let from = moment(&mut checks, "startAt", self.start_at);
        let until = moment(&mut checks, "endAt", self.end_at);
        let mut links = Vec::new();
        for piece in pieces(self.id.as_deref()) {
            links.extend(checks.member(&["id"], LinkId::parse(piece)));
        }
        let mut values = Vec::new();
        for (member, dimension, text) in self.members() {
            let Some(text) = text.as_deref().filter(|text| !text.trim().is_empty()) else {
                continue;
            };
            if text.chars().any(char::is_control) {
                let message = "holds a control character".into();
                checks.note(
                    &[member],
                    (IssueCode::InvalidFormat, message, "plain text".into()),
                );
            }
            values.push((dimension, candidates(text)));
        }
        checks.finish(|| {
            Some(VisitFilter {
                from,
                until,
                links,
                values,
            })
        })
    }

    fn members(&self) -> [(&'static str, Dimension, &Option<String>); 13] {
        [
            ("url", Dimension::Url, &self.url),
            ("slug", Dimension::Slug, &self.slug),
            ("referer", Dimension::Referer, &self.referer),
            ("country", Dimension::Country, &self.country),
            ("region", Dimension::Region, &self.region),
            ("city", Dimension::City, &self.city),
            ("timezone", Dimension::Timezone, &self.timezone),
            ("language", Dimension::Language, &self.language),
            ("os", Dimension::Os, &self.os),
            ("browser", Dimension::Browser, &self.browser),
            ("browserType", Dimension::BrowserType, &self.browser_type),
            ("device", Dimension::Device, &self.device),
            ("deviceType", Dimension::DeviceType, &self.device_type),
        ]
    }
}

fn moment(checks: &mut Checks, member: &str, sent: Option<Lenient>) -> Option<UnixSeconds> {
    let sent = sent.filter(|Lenient(seconds)| *seconds != 0);
    checks.optional(
        &[member],
        sent.map(|Lenient(seconds)| UnixSeconds::new(seconds)),
    )
}

fn pieces(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
}

/// The pieces between commas, and the whole text as well: regions, cities and
/// some URLs hold commas themselves.
fn candidates(text: &str) -> Vec<String> {
    let mut candidates: Vec<String> = pieces(Some(text)).map(str::to_owned).collect();
    if text.contains(',') {
        candidates.push(text.trim().to_owned());
    }
    candidates
}

/// Totals: one row, or one per link that has visits when links were named.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CountersAnswer {
    /// The rows.
    pub data: Vec<CounterView>,
    /// How many rows there are.
    pub rows: usize,
    /// The same, for clients that look for it.
    pub rows_before_limit_at_least: usize,
    /// How far the numbers can be trusted.
    pub sampling: SamplingView,
}

/// Totals over some visits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CounterView {
    /// The link, when links were named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Visits.
    pub visits: u64,
    /// Distinct visitors, summed over the periods in which visitors can be told apart (a day, unless set otherwise).
    pub visitors: u64,
    /// Distinct hosts of referring pages; a lower bound when sampled.
    pub referers: u64,
}

/// Whether numbers are counts or estimates.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SamplingView {
    /// The most visits that one stored row stands for.
    pub interval_max: u32,
    /// Whether the numbers are exact counts.
    pub exact: bool,
    /// Visits that were not stored since the server started, because they came faster than they could be written.
    pub dropped: u64,
}

impl From<CountersReport> for CountersAnswer {
    fn from(report: CountersReport) -> Self {
        let data: Vec<CounterView> = report.rows.into_iter().map(CounterView::from).collect();
        Self {
            rows: data.len(),
            rows_before_limit_at_least: data.len(),
            data,
            sampling: report.sampling.into(),
        }
    }
}

impl From<CounterRow> for CounterView {
    fn from(row: CounterRow) -> Self {
        Self {
            id: row.link.map(|id| id.to_string()),
            visits: row.counters.visits,
            visitors: row.counters.visitors,
            referers: row.counters.referers,
        }
    }
}

impl From<SamplingNote> for SamplingView {
    fn from(note: SamplingNote) -> Self {
        Self {
            interval_max: note.interval_max.get(),
            exact: note.exact(),
            dropped: note.dropped,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};
    use slugline_domain::{Counters, SamplingInterval};

    use super::*;
    use crate::{query_to_json, read};

    fn filter(query: &str) -> Result<VisitFilter, Problem> {
        read::<AnalyticsFilter>(&query_to_json(query))?.check()
    }

    #[test]
    fn lists_are_split_and_empty_pieces_ignored() {
        let asked = filter("id=a,,b&startAt=5&endAt=0&slug=&os=Windows").unwrap();
        assert_eq!(
            asked.links.iter().map(LinkId::as_str).collect::<Vec<_>>(),
            ["a", "b"]
        );
        assert_eq!(asked.from.map(UnixSeconds::get), Some(5));
        assert_eq!(asked.until, None);
        assert_eq!(asked.values, [(Dimension::Os, vec!["Windows".to_owned()])]);
        let with_comma = filter("city=Berlin,Germany").unwrap();
        assert_eq!(
            with_comma.values[0].1,
            ["Berlin", "Germany", "Berlin,Germany"]
        );
    }

    #[test]
    fn faults_name_the_member() {
        for (query, path) in [
            ("id=a%20b", "id"),
            ("startAt=x", "startAt"),
            ("slug=a%00b", "slug"),
            ("os=a&os=b", "os"),
        ] {
            assert_eq!(filter(query).unwrap_err().issues[0].path, [path], "{query}");
        }
    }

    #[test]
    fn an_answer_says_whether_it_is_an_estimate() {
        let report = CountersReport {
            rows: vec![CounterRow {
                link: None,
                counters: Counters {
                    visits: 3,
                    visitors: 2,
                    referers: 1,
                },
            }],
            rows_before_limit: 1,
            sampling: SamplingNote {
                interval_max: SamplingInterval::EVERY,
                dropped: 4,
                sketched: false,
            },
        };
        assert_eq!(
            to_value(CountersAnswer::from(report)).unwrap(),
            json!({
                "data": [{"visits": 3, "visitors": 2, "referers": 1}],
                "rows": 1, "rows_before_limit_at_least": 1,
                "sampling": {"interval_max": 1, "exact": false, "dropped": 4},
            })
        );
    }
}
