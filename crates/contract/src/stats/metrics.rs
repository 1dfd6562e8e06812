//! The most frequent values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_application::TaggedQuery;
use slugline_domain::{Dimension, MetricRow, MetricsQuery, split_key};

use super::{
    answer::{Answer, Ranked, Varies},
    dimension,
    filter::AnalyticsFilter,
    limit::{DEFAULT_ROWS, limit},
};
use crate::{
    Problem,
    bounds::Bounds,
    scalars::{BoolOrString, IntOrString},
    sent::Sent,
};

/// Which visits, which property of them, and how many rows at most.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["type"]))]
pub struct MetricsRequest {
    /// The property whose values are counted.
    #[schemars(schema_with = "dimension::options")]
    pub r#type: Sent<Dimension>,
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
    pub fn validate(&self, bounds: &Bounds) -> Result<TaggedQuery<MetricsQuery>, Problem> {
        self.filter.query(|validation, filter| {
            Some(MetricsQuery {
                filter,
                limit: limit(validation, &self.limit, bounds),
                visitors: validation.flag("visitors", &self.visitors),
                dimension: *validation.there(&["type"], &self.r#type)?,
            })
        })
    }
}

impl Ranked<MetricView> {
    /// Shows slugs apart from their domains, and adds the reason why no place is named, if the request asked for places: there was
    /// no visit, or the places of visits are not known.
    #[must_use]
    pub fn explained(mut self, request: &MetricsRequest) -> Self {
        let dimension = request.r#type.value();
        if dimension == Some(&Dimension::Slug) {
            self.answer.data.iter_mut().for_each(MetricView::split_key);
        }
        let is_about_places = dimension.is_some_and(|dimension| dimension.is_a_place());
        if self.answer.note.is_some() || !is_about_places {
            return self;
        }
        let note = if self.answer.data.is_empty() {
            Some("no visit matches the question")
        } else if self.answer.data.iter().all(|row| row.name.is_empty()) {
            Some(UNKNOWN_PLACES)
        } else {
            None
        };
        let answer = Answer {
            note: note.map(Into::into),
            ..self.answer
        };
        Self { answer, ..self }
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
    /// With type slug the host of the slug's domain; left out for the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Visits with this value.
    pub count: u64,
    /// Distinct visitors, summed over salt periods, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visitors: Option<u64>,
}

/// Values are ranked by their estimates, so those at the top tend to be estimated too high, and no
/// variance tells by how much.
impl Varies for MetricRow {}

impl MetricView {
    fn split_key(&mut self) {
        if let (host, slug) = split_key(&self.name)
            && !host.is_empty()
        {
            (self.domain, self.name) = (Some(host.to_owned()), slug.to_owned());
        }
    }
}

impl From<MetricRow> for MetricView {
    fn from(row: MetricRow) -> Self {
        Self {
            name: row.name,
            domain: None,
            count: row.count,
            visitors: row.visitors,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;
    use slugline_domain::{Report, SamplingNote};

    use super::*;
    use crate::reader::{query_to_json, read};

    #[test]
    fn each_dimension_has_a_name_and_unknown_ones_are_told_them() {
        let validate = |query: &str| {
            let request = read::<MetricsRequest>(&query_to_json(query)).unwrap();
            request.validate(&Bounds::default())
        };
        let problem = validate("type=colour").unwrap_err();
        let issue = &problem.issues[0];
        assert_eq!(issue.path, ["type"]);
        let names: Vec<&str> = issue.expected.split('"').skip(1).step_by(2).collect();
        let dimensions: HashSet<Dimension> = names
            .iter()
            .map(|name| validate(&format!("type={name}")).unwrap().query.dimension)
            .collect();
        assert_eq!(dimensions, Dimension::ALL.iter().copied().collect());
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
            let asked = request.validate(&Bounds::default());
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
                others: 0,
                sampling: SamplingNote::EXACT,
            };
            let ranked = Ranked::<MetricView>::from(report).explained(&request);
            ranked.answer.note
        };
        let told = note("type=country", &[]).unwrap();
        assert_eq!(told, "no visit matches the question");
        assert_eq!(note("type=city", &[""]).as_deref(), Some(UNKNOWN_PLACES));
        assert_eq!(note("type=country", &["", "DE"]), None);
        assert_eq!(note("type=browser", &[]), None);
    }
}
