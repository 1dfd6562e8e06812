//! The body that replaces a link.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use slugline_application::{self as application, Change};
use slugline_domain::{
    Comment, Description, DestinationRules, ImageRef, Password, Slug, Tag, Tags, Title, UnixSeconds,
};

use super::members::{Members, urls_by_country};
use crate::{Rules, absent::present, check::Checks, problem::Problem, whole::Whole};

/// A link's new content. Everything is replaced: a member that is left out is
/// removed, except the password, which is kept.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditLink {
    /// The link to change.
    #[schemars(length(min = 1, max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: String,
    /// Where the link leads: an absolute http or https URL.
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub url: String,
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
    /// A new password. Left out, the old one stays; an empty text removes it. Never send a mask back.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = Password::MAX_CHARS))]
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
    /// Whether the visitor's query is merged into the destination.
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
}

impl EditLink {
    /// Makes domain values of the members.
    ///
    /// # Errors
    /// Lists every member that is out of bounds.
    pub fn check(&self, rules: &Rules) -> Result<application::EditLink, Problem> {
        let mut checks = Checks::default();
        let slug = checks.member(&["slug"], Slug::parse(&self.slug));
        let content = self.members().check(&mut checks, rules);
        let password = password_change(&mut checks, self.password.as_deref());
        checks.finish(|| {
            Some(application::EditLink {
                slug: slug?,
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

/// Absent keeps, empty removes, anything else is a new password.
pub(super) fn password_change(checks: &mut Checks, sent: Option<&str>) -> Change<Password> {
    match sent {
        None => Change::Keep,
        Some(text) if text.trim().is_empty() => Change::Clear,
        Some(text) => checks
            .member(&["password"], Password::parse(text))
            .map_or(Change::Keep, Change::Set),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::read;

    fn check(body: &Value) -> Result<application::EditLink, Problem> {
        read::<EditLink>(body)?.check(&Rules::default())
    }

    #[test]
    fn slug_and_url_are_required_and_identity_is_not_taken() {
        let body =
            json!({"slug": "Docs", "url": "https://example.com/", "id": "x", "createdAt": 1});
        assert_eq!(check(&body).unwrap().slug.as_str(), "Docs");
        for (body, path) in [
            (json!({"url": "https://e.example"}), "slug"),
            (json!({"slug": "a"}), "url"),
        ] {
            assert_eq!(check(&body).unwrap_err().issues[0].path, [path]);
        }
    }

    #[test]
    fn a_password_is_kept_removed_or_replaced_but_never_a_mask() {
        let with = |password: Option<&str>| {
            let mut body = json!({"slug": "a", "url": "https://example.com/"});
            if let Some(password) = password {
                body["password"] = password.into();
            }
            check(&body).map(|edit| edit.password)
        };
        assert_eq!(with(None).unwrap(), Change::Keep);
        assert_eq!(with(Some(" ")).unwrap(), Change::Clear);
        assert!(matches!(with(Some("new")).unwrap(), Change::Set(_)));
        assert_eq!(
            with(Some(Password::MASK)).unwrap_err().issues[0].path,
            ["password"]
        );
    }
}
