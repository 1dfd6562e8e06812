//! The body that changes some members of a link.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use slugline_application::{Change, LinkPatch};
use slugline_domain::{
    Comment, Description, Destination, DestinationRules, ImageRef, Password, Slug, Tag, Tags,
    Title, UnixSeconds,
};

use super::{
    edit::password_change,
    members::{geo, tags, urls_by_country},
};
use crate::{
    Rules, absent::present, check::Checks, issue::Explain, problem::Problem, whole::Whole,
};

/// Changes to a link. A member that is left out is kept, `null` removes it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PatchLink {
    /// The slug of the link to change; a slug itself cannot be changed.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: String,
    /// Where the link leads: an absolute http or https URL.
    #[serde(default, deserialize_with = "present")]
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub url: Option<String>,
    /// A private note about the link.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(length(max = Comment::MAX_CHARS), extend("nullable" = true))]
    pub comment: Option<Option<String>>,
    /// When the link expires, in Unix seconds; must be in the future.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(extend("nullable" = true))]
    pub expiration: Option<Option<Whole>>,
    /// All of the tags.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(length(max = Tags::MAX), inner(length(min = 1, max = Tag::MAX_CHARS)), extend("nullable" = true))]
    pub tags: Option<Option<Vec<String>>>,
    /// A new password; null or an empty text removes the password. Never send a mask back.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(length(max = Password::MAX_CHARS), extend("nullable" = true))]
    pub password: Option<Option<String>>,
    /// Title of the link's social preview.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(length(max = Title::MAX_CHARS), extend("nullable" = true))]
    pub title: Option<Option<String>>,
    /// Description of the link's social preview.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(length(max = Description::MAX_CHARS), extend("nullable" = true))]
    pub description: Option<Option<String>>,
    /// Image of the link's social preview: a URL, or a path that starts with "/".
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(length(max = ImageRef::MAX_CHARS), extend("nullable" = true))]
    pub image: Option<Option<String>>,
    /// Where iPhones and iPads are sent instead.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS), extend("nullable" = true))]
    pub apple: Option<Option<String>>,
    /// Where Android devices are sent instead.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS), extend("nullable" = true))]
    pub google: Option<Option<String>>,
    /// Where visitors from a country are sent instead; replaces all countries.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(schema_with = "urls_by_country_or_null")]
    pub geo: Option<Option<BTreeMap<String, String>>>,
    /// Whether the visitor's query parameters are merged into the destination.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(extend("nullable" = true))]
    pub redirect_with_query: Option<Option<bool>>,
    /// Whether the destination is shown in a frame under the short link.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(extend("nullable" = true))]
    pub cloaking: Option<Option<bool>>,
    /// Whether the server fetches the destination and passes it on.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(extend("nullable" = true))]
    pub proxy: Option<Option<bool>>,
    /// Whether visitors are warned before they go on.
    #[serde(default, deserialize_with = "nullable", rename = "unsafe")]
    #[schemars(extend("nullable" = true))]
    pub flagged_unsafe: Option<Option<bool>>,
}

/// Absent is `None`, null is `Some(None)`.
#[expect(
    clippy::option_option,
    reason = "absent, null and a value are three things here"
)]
fn nullable<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

fn urls_by_country_or_null(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let mut schema = urls_by_country(generator);
    schema.insert("type".into(), serde_json::json!(["object", "null"]));
    schema.insert("nullable".into(), true.into());
    schema
}

impl PatchLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is out of bounds.
    pub fn check(self, rules: &Rules) -> Result<(Slug, LinkPatch), Problem> {
        let mut checks = Checks::default();
        let to = |text: String| Destination::parse(&text, &rules.destinations);
        let slug = checks.member(&["slug"], Slug::parse(&self.slug));
        let patch = LinkPatch {
            destination: checks.optional(&["url"], self.url.map(to)),
            comment: change(&mut checks, "comment", self.comment, |text| {
                Comment::parse(&text)
            }),
            expires_at: change(
                &mut checks,
                "expiration",
                self.expiration,
                |Whole(second)| UnixSeconds::new(second),
            ),
            tags: settled(self.tags, |sent| tags(&mut checks, &sent)),
            password: match self.password {
                Some(None) => Change::Clear,
                sent => password_change(&mut checks, sent.flatten().as_deref()),
            },
            title: change(&mut checks, "title", self.title, |text| Title::parse(&text)),
            description: change(&mut checks, "description", self.description, |text| {
                Description::parse(&text)
            }),
            image: change(&mut checks, "image", self.image, |text| {
                ImageRef::parse(&text)
            }),
            apple: change(&mut checks, "apple", self.apple, to),
            google: change(&mut checks, "google", self.google, to),
            geo: settled(self.geo, |sent| Some(geo(&mut checks, &sent, rules))),
            with_query: settled(self.redirect_with_query, Some),
            cloaking: settled(self.cloaking, Some),
            proxy: settled(self.proxy, Some),
            flagged_unsafe: settled(self.flagged_unsafe, Some),
        };
        checks.finish(|| Some((slug?, patch)))
    }
}

#[expect(
    clippy::option_option,
    reason = "absent, null and a value are three things here"
)]
fn change<S, T, E: Explain>(
    checks: &mut Checks,
    member: &str,
    sent: Option<Option<S>>,
    parse: impl Fn(S) -> Result<T, E>,
) -> Change<T> {
    settled(sent, |value| checks.member(&[member], parse(value)))
}

#[expect(
    clippy::option_option,
    reason = "absent, null and a value are three things here"
)]
fn settled<S, T>(sent: Option<Option<S>>, parse: impl FnOnce(S) -> Option<T>) -> Change<T> {
    match sent {
        None => Change::Keep,
        Some(None) => Change::Clear,
        // A fault was noted, so what stands here is never used.
        Some(Some(value)) => parse(value).map_or(Change::Keep, Change::Set),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{read, schema::arguments};

    fn check(body: &Value) -> Result<(Slug, LinkPatch), Problem> {
        read::<PatchLink>(body)?.check(&Rules::default())
    }

    #[test]
    fn absent_null_and_a_value_are_three_things() {
        let (slug, patch) = check(&json!({
            "slug": "docs", "comment": null, "title": "t", "tags": null, "password": null,
            "cloaking": false, "geo": {"DE": "https://example.de/"},
        }))
        .unwrap();
        assert_eq!(slug.as_str(), "docs");
        assert_eq!(patch.comment, Change::Clear);
        assert!(matches!(patch.title, Change::Set(_)));
        assert_eq!(patch.description, Change::Keep);
        assert_eq!(patch.tags, Change::Clear);
        assert_eq!(patch.password, Change::Clear);
        assert_eq!(patch.cloaking, Change::Set(false));
        assert!(matches!(patch.geo, Change::Set(ref geo) if geo.len() == 1));
        assert_eq!(patch.destination, None);
    }

    #[test]
    fn all_faults_are_listed_and_a_link_must_lead_somewhere() {
        let body = json!({"slug": "a/b", "url": "x", "tags": [" "], "apple": "javascript:1"});
        let paths: Vec<String> = check(&body)
            .unwrap_err()
            .issues
            .iter()
            .map(|issue| issue.path.join("."))
            .collect();
        assert_eq!(paths, ["slug", "url", "tags.0", "apple"]);
        let no_url = check(&json!({"slug": "a", "url": null})).unwrap_err();
        assert_eq!(no_url.issues[0].path, ["url"]);
    }

    #[test]
    fn the_schema_lets_members_be_null_except_those_that_cannot_be_removed() {
        let schema = arguments::<PatchLink>(&Rules::default()).to_value();
        let kind = |member: &str| schema["properties"][member]["type"].clone();
        assert_eq!(kind("comment"), json!(["string", "null"]));
        assert_eq!(kind("tags"), json!(["array", "null"]));
        assert_eq!(kind("geo"), json!(["object", "null"]));
        assert_eq!(kind("url"), "string");
        assert!(!schema.to_string().contains("nullable"));
        assert_eq!(schema["required"], json!(["slug"]));
    }
}
