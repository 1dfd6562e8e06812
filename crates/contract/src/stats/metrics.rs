//! The most frequent values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::TaggedQuery;
use slugline_domain::{Dimension, MetricRow, MetricsQuery};

use super::{
    answer::Answer,
    filter::AnalyticsFilter,
    limit::{DEFAULT_ROWS, limit},
};
use crate::{
    bool_or_string::BoolOrString,
    int_or_string::IntOrString,
    problem::Problem,
    rules::Rules,
    sent::{Sent, options},
    validation::Validation,
};

/// Which visits, which property of them, and how many rows at most.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["type"]))]
pub struct MetricsRequest {
    /// The property whose values are counted.
    pub r#type: Sent<DimensionName>,
    /// Rows at most.
    #[schemars(range(min = 1, max = DEFAULT_ROWS), extend("default" = DEFAULT_ROWS, "x-obvious" = true))]
    pub limit: Sent<IntOrString>,
    /// Also count visitors, which takes longer.
    pub visitors: Sent<BoolOrString>,
    /// Which visits.
    #[serde(flatten)]
    pub filter: AnalyticsFilter,
}

impl MetricsRequest {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is invalid.
    pub fn validate(&self, rules: &Rules) -> Result<TaggedQuery<MetricsQuery>, Problem> {
        let mut validation = Validation::default();
        let filter = self.filter.filter(&mut validation);
        let tags = self.filter.tags(&mut validation);
        let limit = limit(&mut validation, &self.limit, rules);
        let visitors = validation.value(&["visitors"], &self.visitors);
        let visitors = visitors.is_some_and(|BoolOrString(wanted)| *wanted);
        let dimension = validation.there(&["type"], &self.r#type).copied();
        validation.finish(|| {
            let query = MetricsQuery {
                filter,
                dimension: dimension?.into(),
                limit,
                visitors,
            };
            Some(TaggedQuery { query, tags })
        })
    }
}

/// A property of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum DimensionName {
    /// The slug at the time of the visit.
    Slug,
    /// The link's main destination at the time of the visit.
    Url,
    /// The raw user agent.
    Ua,
    /// An opaque token for the visitor's address.
    Ip,
    /// Host of the referring page.
    Referer,
    /// Country code.
    Country,
    /// Region with its country.
    Region,
    /// City with its country.
    City,
    /// Time zone of the visitor's place.
    Timezone,
    /// First language that the visitor prefers.
    Language,
    /// Operating system.
    Os,
    /// Browser.
    Browser,
    /// Kind of browser; empty for ordinary ones.
    BrowserType,
    /// Device model.
    Device,
    /// Kind of device; empty on desktops.
    DeviceType,
    /// Data centre code of the edge network in front.
    #[serde(rename = "COLO")]
    Colo,
    /// Latitude in degrees.
    Latitude,
    /// Longitude in degrees.
    Longitude,
    /// The campaign's source.
    UtmSource,
    /// The campaign's medium.
    UtmMedium,
    /// The campaign's name.
    UtmCampaign,
}

options!(DimensionName);

impl From<DimensionName> for Dimension {
    fn from(name: DimensionName) -> Self {
        match name {
            DimensionName::Slug => Self::Slug,
            DimensionName::Url => Self::Url,
            DimensionName::Ua => Self::UserAgent,
            DimensionName::Ip => Self::Ip,
            DimensionName::Referer => Self::Referer,
            DimensionName::Country => Self::Country,
            DimensionName::Region => Self::Region,
            DimensionName::City => Self::City,
            DimensionName::Timezone => Self::Timezone,
            DimensionName::Language => Self::Language,
            DimensionName::Os => Self::Os,
            DimensionName::Browser => Self::Browser,
            DimensionName::BrowserType => Self::BrowserType,
            DimensionName::Device => Self::Device,
            DimensionName::DeviceType => Self::DeviceType,
            DimensionName::Colo => Self::Colo,
            DimensionName::Latitude => Self::Latitude,
            DimensionName::Longitude => Self::Longitude,
            DimensionName::UtmSource => Self::UtmSource,
            DimensionName::UtmMedium => Self::UtmMedium,
            DimensionName::UtmCampaign => Self::UtmCampaign,
        }
    }
}

impl DimensionName {
    fn is_a_place(self) -> bool {
        matches!(
            self,
            Self::Country
                | Self::Region
                | Self::City
                | Self::Timezone
                | Self::Colo
                | Self::Latitude
                | Self::Longitude
        )
    }
}

impl Answer<MetricView> {
    /// Adds the reason why no place is named, if the request asked for places: there was
    /// no visit, or the places of visits are not known.
    #[must_use]
    pub fn explained(self, request: &MetricsRequest) -> Self {
        let dimension = request.r#type.value();
        let is_about_places = dimension.is_some_and(|dimension| dimension.is_a_place());
        if self.note.is_some() || !is_about_places {
            return self;
        }
        let note = if self.data.is_empty() {
            Some("no visit matches the question")
        } else if self.data.iter().all(|row| row.name.is_empty()) {
            Some(UNKNOWN_PLACES)
        } else {
            None
        };
        Self {
            note: note.map(Into::into),
            ..self
        }
    }
}

const UNKNOWN_PLACES: &str = "the places of these visits are not known; they are for later visits \
    once SLUGLINE_GEOIP_PATH names a file of places, or a proxy in SLUGLINE_TRUSTED_PROXIES sends \
    headers with places";

/// A value and how often it occurs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MetricView {
    /// The value; empty when unknown, or a destination hidden from the token.
    pub name: String,
    /// Visits with this value.
    pub count: u64,
    /// Distinct visitors, summed over salt periods, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visitors: Option<u64>,
}

impl From<MetricRow> for MetricView {
    fn from(row: MetricRow) -> Self {
        Self {
            name: row.name,
            count: row.count,
            visitors: row.visitors,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;
    use slugline_domain::{Report, SamplingInterval, SamplingNote};

    use super::*;
    use crate::reader::{query_to_json, read};

    #[test]
    fn each_dimension_has_a_name_and_unknown_ones_are_told_them() {
        let validate = |query: &str| {
            let request = read::<MetricsRequest>(&query_to_json(query)).unwrap();
            request.validate(&Rules::default())
        };
        let problem = validate("type=colour").unwrap_err();
        let issue = &problem.issues[0];
        assert_eq!(issue.path, ["type"]);
        let names: Vec<&str> = issue.expected.split('"').skip(1).step_by(2).collect();
        let dimensions: HashSet<Dimension> = names
            .iter()
            .map(|name| validate(&format!("type={name}")).unwrap().query.dimension)
            .collect();
        assert_eq!(dimensions, HashSet::from(Dimension::ALL));
        for name in ["browserType", "COLO", "utmSource"] {
            assert!(names.contains(&name), "{names:?}");
        }
        let missing = validate("").unwrap_err();
        assert_eq!(missing.issues[0].path, ["type"]);
    }

    #[test]
    fn visitors_are_counted_and_shown_if_asked_for() {
        let validate = |query: &str| {
            let request = read::<MetricsRequest>(&query_to_json(query)).unwrap();
            let asked = request.validate(&Rules::default());
            asked.map(|asked| asked.query.visitors)
        };
        assert_eq!(validate("type=os"), Ok(false));
        assert_eq!(validate("type=os&visitors=false"), Ok(false));
        assert_eq!(validate("type=os&visitors=true"), Ok(true));
        let problem = validate("type=os&visitors=yes").unwrap_err();
        assert_eq!(problem.issues[0].path, ["visitors"]);

        let shown = |visitors| {
            let row = MetricRow {
                name: "iOS".into(),
                count: 3,
                visitors,
            };
            serde_json::to_value(MetricView::from(row)).unwrap()
        };
        assert_eq!(shown(None), json!({"name": "iOS", "count": 3}));
        assert_eq!(
            shown(Some(2)),
            json!({"name": "iOS", "count": 3, "visitors": 2})
        );
    }

    #[test]
    fn an_answer_without_places_says_why() {
        let note = |query: &str, names: &[&str]| {
            let request = read::<MetricsRequest>(&query_to_json(query)).unwrap();
            let rows = names.iter().map(|name| MetricRow {
                name: (*name).into(),
                count: 3,
                visitors: None,
            });
            let report = Report {
                rows: rows.collect(),
                rows_before_limit: 1,
                sampling: SamplingNote {
                    interval_max: SamplingInterval::EVERY,
                    dropped: 0,
                    damaged: 0,
                    sketched: false,
                },
            };
            let answer = Answer::<MetricView>::from(report).explained(&request);
            answer.note
        };
        assert_eq!(
            note("type=country", &[]).as_deref(),
            Some("no visit matches the question")
        );
        assert_eq!(note("type=city", &[""]).as_deref(), Some(UNKNOWN_PLACES));
        assert_eq!(note("type=country", &["", "DE"]), None);
        assert_eq!(note("type=browser", &[]), None);
    }
}
