//! The body that makes a link.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_application::NewLink;
use slugline_domain::{
    Comment, Description, DestinationRules, ImageRef, LinkId, Password, Slug, Tag, Tags, Title,
    UnixSeconds,
};

use super::members::{Members, urls_by_country};
use crate::{Rules, absent::present, check::Checks, problem::Problem, whole::Whole};

/// A link to be made. Only `url` is required.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateLink {
    /// Where the link leads: an absolute http or https URL.
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub url: String,
    /// Path of the short link; a free random one when left out.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: Option<String>,
    /// A private note.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = Comment::MAX_CHARS))]
    pub comment: Option<String>,
    /// When the link expires, in Unix seconds, in the future.
    #[serde(default, deserialize_with = "present")]
    #[schemars(range(min = UnixSeconds::MIN, max = UnixSeconds::MAX))]
    pub expiration: Option<Whole>,
    /// Tags to group links by; lower-cased.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = Tags::MAX), inner(length(min = 1, max = Tag::MAX_CHARS)))]
    pub tags: Option<Vec<String>>,
    /// What visitors must type; never shown again.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(min = 1, max = Password::MAX_CHARS))]
    pub password: Option<String>,
    /// Title of the social preview.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = Title::MAX_CHARS))]
    pub title: Option<String>,
    /// Description of the social preview.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = Description::MAX_CHARS))]
    pub description: Option<String>,
    /// Image of the social preview: a URL, or a path such as /a.png.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = ImageRef::MAX_CHARS))]
    pub image: Option<String>,
    /// Where iPhones and iPads are sent instead.
    #[serde(default, deserialize_with = "present")]
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub apple: Option<String>,
    /// Where Android devices are sent instead.
    #[serde(default, deserialize_with = "present")]
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub google: Option<String>,
    /// Where visitors from a country are sent instead: two-letter code to URL.
    #[serde(default, deserialize_with = "present")]
    #[schemars(schema_with = "urls_by_country")]
    pub geo: Option<BTreeMap<String, String>>,
    /// Whether the visitor's query is merged into the destination; as the server is set when left out.
    #[serde(default, deserialize_with = "present")]
    pub redirect_with_query: Option<bool>,
    /// Whether the destination is shown in a frame.
    #[serde(default, deserialize_with = "present")]
    pub cloaking: Option<bool>,
    /// Whether the server fetches the destination and passes it on.
    #[serde(default, deserialize_with = "present")]
    pub proxy: Option<bool>,
    /// Whether visitors are warned before they go on.
    #[serde(default, deserialize_with = "present", rename = "unsafe")]
    pub flagged_unsafe: Option<bool>,
    /// Identity; a new one when left out.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(min = 1, max = LinkId::MAX_CHARS), regex(pattern = LinkId::PATTERN))]
    pub id: Option<String>,
    /// When the link was made, in Unix seconds; now when left out.
    #[serde(default, deserialize_with = "present")]
    #[schemars(range(min = UnixSeconds::MIN, max = UnixSeconds::MAX))]
    pub created_at: Option<Whole>,
    /// When the link last changed, in Unix seconds; now when left out.
    #[serde(default, deserialize_with = "present")]
    #[schemars(range(min = UnixSeconds::MIN, max = UnixSeconds::MAX))]
    pub updated_at: Option<Whole>,
}

impl CreateLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is out of bounds.
    pub fn check(&self, rules: &Rules) -> Result<NewLink, Problem> {
        let mut checks = Checks::default();
        let seconds = |Whole(second)| UnixSeconds::new(second);
        let content = self.members().check(&mut checks, rules);
        let slug = checks.optional(&["slug"], self.slug.as_deref().map(Slug::parse));
        let password =
            checks.optional(&["password"], self.password.as_deref().map(Password::parse));
        let id = checks.optional(&["id"], self.id.as_deref().map(LinkId::parse));
        let created_at = checks.optional(&["createdAt"], self.created_at.map(seconds));
        let updated_at = checks.optional(&["updatedAt"], self.updated_at.map(seconds));
        checks.finish(|| {
            Some(NewLink {
                id,
                slug,
                created_at,
                updated_at,
                password,
                content: content?,
            })
        })
    }

    fn members(&self) -> Members<'_> {
        Members {
            url: &self.url,
            comment: self.comment.as_deref(),
            expiration: self.expiration.map(|Whole(second)| second),
            tags: self.tags.as_deref(),
            title: self.title.as_deref(),
            description: self.description.as_deref(),
            image: self.image.as_deref(),
            apple: self.apple.as_deref(),
            google: self.google.as_deref(),
            geo: self.geo.as_ref(),
            redirect_with_query: self.redirect_with_query,
            cloaking: self.cloaking,
            proxy: self.proxy,
            flagged_unsafe: self.flagged_unsafe,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;
    use crate::read;

    fn check(body: &Value) -> Result<NewLink, Problem> {
        read::<CreateLink>(body)?.check(&Rules::default())
    }

    #[test]
    fn a_url_is_enough_and_unknown_members_are_dropped() {
        let new = check(&json!({"url": " https://example.com/ ", "zz": {"y": 1}})).unwrap();
        assert_eq!(new, check(&json!({"url": "https://example.com/"})).unwrap());
        assert!(new.slug.is_none() && new.id.is_none() && new.password.is_none());
        assert_eq!(
            new.content.delivery.cloaking, None,
            "unsaid differs from false"
        );
    }

    #[test]
    fn every_member_reaches_the_domain() {
        let new = check(&json!({
            "url": "https://example.com/", "slug": "Docs", "comment": "c", "expiration": 1_900_000_000,
            "tags": ["B", "a", "b"], "password": "pw", "title": "t", "description": "", "image": "/i.png",
            "apple": "https://a.example/", "google": "https://g.example/",
            "geo": {" de ": "https://d.example/"}, "redirectWithQuery": false, "cloaking": true,
            "proxy": false, "unsafe": true, "id": "x7", "createdAt": 5, "updatedAt": 6
        }))
        .unwrap();
        let content = &new.content;
        assert_eq!(new.slug.unwrap().as_str(), "Docs");
        assert_eq!(
            content.tags.iter().map(Tag::as_str).collect::<Vec<_>>(),
            ["b", "a"]
        );
        assert_eq!(content.routing.geo.keys().next().unwrap().as_str(), "DE");
        assert_eq!(content.routing.with_query, Some(false));
        assert_eq!(
            (content.delivery.cloaking, content.delivery.proxy),
            (Some(true), Some(false))
        );
        assert_eq!(content.flagged_unsafe, Some(true));
        assert_eq!(content.preview.description.as_ref().unwrap().as_str(), "");
        assert_eq!(
            (new.created_at.unwrap().get(), new.updated_at.unwrap().get()),
            (5, 6)
        );
        assert_eq!(new.password.unwrap().reveal(), "pw");
        assert_eq!(new.id.unwrap().as_str(), "x7");
    }

    #[test]
    fn all_faults_are_listed_at_once() {
        let problem = check(&json!({
            "url": "nope", "slug": "a/b", "tags": ["ok", " "], "geo": {"DEU": "https://x.example"},
            "password": "__SINK_MASKED__•••••", "title": "x".repeat(257), "apple": "javascript:1"
        }))
        .unwrap_err();
        let paths: Vec<String> = problem
            .issues
            .iter()
            .map(|issue| issue.path.join("."))
            .collect();
        assert_eq!(
            paths,
            [
                "url", "tags.1", "title", "apple", "geo.DEU", "slug", "password"
            ]
        );
        assert!(
            problem
                .issues
                .iter()
                .all(|issue| !issue.expected.is_empty())
        );
    }

    #[rstest]
    #[case(json!({"url": ""}), "url", "URL is required")]
    #[case(json!({"url": format!("https://e.example/{}", "a".repeat(16_384))}), "url", "URL must not exceed 16384 characters")]
    #[case(json!({"url": "https://e.example", "tags": ["1","2","3","4","5","6","7","8","9","10","11"]}), "tags", "11 tags, at most 10 are allowed")]
    #[case(json!({"url": "https://e.example", "createdAt": 9_007_199_254_740_992i64}), "createdAt", "9007199254740992 is not a moment between -(2^53-1) and 2^53-1 seconds")]
    fn bounds_are_enforced(#[case] body: Value, #[case] path: &str, #[case] message: &str) {
        let problem = check(&body).unwrap_err();
        assert_eq!(problem.issues[0].path.join("."), path);
        assert_eq!(problem.issues[0].message, message);
    }
}
