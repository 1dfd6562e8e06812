//! Which visits.

use slugline_domain::{Dimension, LinkId, UnixSeconds, VisitFilter};

use crate::{IssueCode, Lenient, check::Checks, problem::Problem};

/// Declares a request that has members of its own and those of a filter. Serde
/// can flatten one struct into another, but then it no longer says which member
/// was wrong.
macro_rules! filtered {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$on_own:meta])* pub $own:ident: $own_type:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$on_own])* pub $own: $own_type,)*
            /// Link ids.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub id: Option<String>,
            /// Destinations as they were at the visit.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub url: Option<String>,
            /// Slugs.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub slug: Option<String>,
            /// Hosts of referring pages.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub referer: Option<String>,
            /// Two-letter country codes.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub country: Option<String>,
            /// Regions.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub region: Option<String>,
            /// Cities.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub city: Option<String>,
            /// Time zones of visitors, such as Europe/Berlin.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub timezone: Option<String>,
            /// Languages, such as en-US.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub language: Option<String>,
            /// Operating systems.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub os: Option<String>,
            /// Browsers.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub browser: Option<String>,
            /// Kinds of browsers.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub browser_type: Option<String>,
            /// Device models.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub device: Option<String>,
            /// Kinds of devices.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub device_type: Option<String>,
            /// First second, in Unix seconds, inclusive; 0 for no beginning.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub start_at: Option<crate::Lenient>,
            /// Last second, in Unix seconds, inclusive; 0 for no end.
            #[serde(default, deserialize_with = "crate::absent::present")]
            pub end_at: Option<crate::Lenient>,
        }

        impl $name {
            fn filter(&self) -> $crate::stats::filter::Filter<'_> {
                use slugline_domain::Dimension;

                $crate::stats::filter::Filter {
                    id: self.id.as_deref(),
                    values: [
                        ("url", Dimension::Url, self.url.as_deref()),
                        ("slug", Dimension::Slug, self.slug.as_deref()),
                        ("referer", Dimension::Referer, self.referer.as_deref()),
                        ("country", Dimension::Country, self.country.as_deref()),
                        ("region", Dimension::Region, self.region.as_deref()),
                        ("city", Dimension::City, self.city.as_deref()),
                        ("timezone", Dimension::Timezone, self.timezone.as_deref()),
                        ("language", Dimension::Language, self.language.as_deref()),
                        ("os", Dimension::Os, self.os.as_deref()),
                        ("browser", Dimension::Browser, self.browser.as_deref()),
                        ("browserType", Dimension::BrowserType, self.browser_type.as_deref()),
                        ("device", Dimension::Device, self.device.as_deref()),
                        ("deviceType", Dimension::DeviceType, self.device_type.as_deref()),
                    ],
                    start_at: self.start_at,
                    end_at: self.end_at,
                }
            }
        }
    };
}

pub(super) use filtered;

filtered! {
    /// Which visits. Members take comma-separated lists of exact values; a visit
    /// must match one value of every member that is given.
    pub struct AnalyticsFilter {}
}

impl AnalyticsFilter {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that cannot be what it should be.
    pub fn check(&self) -> Result<VisitFilter, Problem> {
        let mut checks = Checks::default();
        let filter = self.filter().check(&mut checks);
        checks.finish(|| Some(filter))
    }
}

/// The members of a filter, whichever request they came in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter<'r> {
    pub(super) id: Option<&'r str>,
    /// Name, dimension and what was sent.
    pub(super) values: [(&'static str, Dimension, Option<&'r str>); 13],
    pub(super) start_at: Option<Lenient>,
    pub(super) end_at: Option<Lenient>,
}

impl Filter<'_> {
    /// The filter they make, which counts only if nothing was noted.
    pub(super) fn check(&self, checks: &mut Checks) -> VisitFilter {
        let from = moment(checks, "startAt", self.start_at);
        let until = moment(checks, "endAt", self.end_at);
        if let (Some(from), Some(until)) = (from, until)
            && from > until
        {
            let message = "endAt is before startAt".into();
            let expected = format!("Unix seconds from {} on", from.get());
            checks.note(&["endAt"], (IssueCode::Custom, message, expected));
        }
        let mut links = Vec::new();
        for piece in pieces(self.id.unwrap_or_default()) {
            links.extend(checks.member(&["id"], LinkId::parse(piece)));
        }
        let mut values = Vec::new();
        for (member, dimension, text) in self.values {
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
}

fn moment(checks: &mut Checks, member: &str, sent: Option<Lenient>) -> Option<UnixSeconds> {
    let sent = sent.filter(|Lenient(seconds)| *seconds != 0);
    checks.optional(
        &[member],
        sent.map(|Lenient(seconds)| UnixSeconds::new(seconds)),
    )
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
    }
}
