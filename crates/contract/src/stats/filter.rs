//! Which visits.

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_domain::{Dimension, LinkId, UnixSeconds, VisitFilter};

use crate::{IntOrString, IssueCode, check::Checks, problem::Problem, sent::Sent};

/// Which visits. Members take comma-separated lists of exact values; a visit
/// must match one value of every member that is given.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AnalyticsFilter {
    /// Link ids.
    pub id: Sent<String>,
    /// Destinations as they were at the visit.
    pub url: Sent<String>,
    /// Slugs.
    pub slug: Sent<String>,
    /// Hosts of referring pages.
    pub referer: Sent<String>,
    /// Two-letter country codes.
    pub country: Sent<String>,
    /// Regions.
    pub region: Sent<String>,
    /// Cities.
    pub city: Sent<String>,
    /// Time zones of visitors, such as Europe/Berlin.
    pub timezone: Sent<String>,
    /// Languages, such as en-US.
    pub language: Sent<String>,
    /// Operating systems.
    pub os: Sent<String>,
    /// Browsers.
    pub browser: Sent<String>,
    /// Kinds of browsers.
    pub browser_type: Sent<String>,
    /// Device models.
    pub device: Sent<String>,
    /// Kinds of devices.
    pub device_type: Sent<String>,
    /// First second, in Unix seconds, inclusive; 0 for no beginning.
    pub start_at: Sent<IntOrString>,
    /// Last second, in Unix seconds, inclusive; 0 for no end.
    pub end_at: Sent<IntOrString>,
}

impl AnalyticsFilter {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that cannot be what it should be.
    pub fn check(&self) -> Result<VisitFilter, Problem> {
        let mut checks = Checks::default();
        let filter = self.filter(&mut checks);
        checks.finish(|| Some(filter))
    }

    /// The filter they make, which counts only if nothing was noted.
    pub(super) fn filter(&self, checks: &mut Checks) -> VisitFilter {
        let from = moment(checks, "startAt", &self.start_at);
        let until = moment(checks, "endAt", &self.end_at);
        if let (Some(from), Some(until)) = (from, until)
            && from > until
        {
            let message = "endAt is before startAt".into();
            let expected = format!("Unix seconds from {} on", from.get());
            checks.note(&["endAt"], (IssueCode::Custom, message, expected));
        }
        let mut links = Vec::new();
        let ids = checks.value(&["id"], &self.id);
        for piece in pieces(ids.map_or("", String::as_str)) {
            links.extend(checks.member(&["id"], LinkId::parse(piece)));
        }
        let mut values = Vec::new();
        for (member, dimension, sent) in self.dimensions() {
            let text = checks.value(&[member], sent);
            let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
                continue;
            };
            if text.chars().any(char::is_control) {
                let message = "holds a control character".into();
                let fault = (IssueCode::InvalidFormat, message, "plain text".into());
                checks.note(&[member], fault);
            }
            values.push((dimension, candidates(text)));
        }
        VisitFilter {
            from,
            until,
            links,
            values,
        }
    }

    /// Name, dimension and what was sent.
    fn dimensions(&self) -> [(&'static str, Dimension, &Sent<String>); 13] {
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

fn moment(checks: &mut Checks, member: &str, sent: &Sent<IntOrString>) -> Option<UnixSeconds> {
    let IntOrString(seconds) = checks.value(&[member], sent)?;
    if *seconds == 0 {
        return None;
    }
    checks.member(&[member], UnixSeconds::new(*seconds))
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
}

/// The pieces between commas, and the whole text as well: regions, cities and
/// some URLs hold commas themselves.
fn candidates(text: &str) -> Vec<String> {
    let mut candidates: Vec<String> = pieces(text).map(str::to_owned).collect();
    if text.contains(',') {
        candidates.push(text.trim().to_owned());
    }
    candidates
}

#[cfg(test)]
mod tests {
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
            ("startAt=5&endAt=4", "endAt"),
        ] {
            assert_eq!(filter(query).unwrap_err().issues[0].path, [path], "{query}");
        }
        let all = filter("os=a&os=b&startAt=x&slug=a%00b&id=a%20b").unwrap_err();
        let paths: Vec<&str> = all.issues.iter().map(|i| i.path[0].as_str()).collect();
        assert_eq!(paths, ["startAt", "id", "slug", "os"]);
    }
}
