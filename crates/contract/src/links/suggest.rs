//! Suggesting a slug or a preview for a destination.

use std::fmt;

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, SeqAccess},
};
use slugline_domain::{
    Description, Destination, DestinationRules, LanguageTag, LanguageTagError, Slug,
    SuggestedPreview, Title,
};

use crate::{IssueCode, Rules, absent::present, check::Checks, issue::Explain, problem::Problem};

/// What to suggest a slug for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SuggestSlug {
    /// The destination. Sink's browser extension does not encode it, so the parameters after its
    /// first `&` are taken for others, and missing.
    #[serde(deserialize_with = "first")]
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub url: String,
}

impl SuggestSlug {
    /// The destination.
    ///
    /// # Errors
    /// It is not one.
    pub fn check(&self, rules: &Rules) -> Result<Destination, Problem> {
        let mut checks = Checks::default();
        let url = checks.member(&["url"], Destination::parse(&self.url, &rules.destinations));
        checks.finish(|| url)
    }
}

/// What to suggest a title and a text for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SuggestPreview {
    /// The destination. Parameters after its first `&` are missing unless it is encoded.
    #[serde(deserialize_with = "first")]
    #[schemars(url, length(min = 1, max = DestinationRules::DEFAULT_MAX_CHARS))]
    pub url: String,
    /// Language of the answer, such as `de-DE`; what the caller's browser prefers when absent.
    #[serde(default, deserialize_with = "present")]
    #[schemars(length(max = LanguageTag::MAX_CHARS))]
    pub locale: Option<String>,
}

impl SuggestPreview {
    /// The destination, and the language if one is named.
    ///
    /// # Errors
    /// Lists the members that are wrong.
    pub fn check(&self, rules: &Rules) -> Result<(Destination, Option<LanguageTag>), Problem> {
        let mut checks = Checks::default();
        let url = checks.member(&["url"], Destination::parse(&self.url, &rules.destinations));
        let named = self.locale.as_deref().filter(|locale| !locale.is_empty());
        let language = checks.optional(&["locale"], named.map(str::parse));
        checks.finish(|| Some((url?, language)))
    }
}

impl Explain for LanguageTagError {
    fn explain(&self) -> (IssueCode, String, String) {
        let expected = "a language tag such as en or pt-BR".into();
        (IssueCode::InvalidFormat, self.to_string(), expected)
    }
}

/// A suggested slug. It may be taken.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SlugSuggestion {
    /// The slug.
    #[schemars(length(max = Slug::MAX_CHARS), regex(pattern = Slug::PATTERN))]
    pub slug: String,
}

impl From<&Slug> for SlugSuggestion {
    fn from(slug: &Slug) -> Self {
        Self {
            slug: slug.to_string(),
        }
    }
}

/// A suggested title and text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PreviewSuggestion {
    /// The title.
    #[schemars(length(max = Title::MAX_CHARS))]
    pub title: String,
    /// The text.
    #[schemars(length(max = Description::MAX_CHARS))]
    pub description: String,
}

impl From<&SuggestedPreview> for PreviewSuggestion {
    fn from(preview: &SuggestedPreview) -> Self {
        Self {
            title: preview.title.to_string(),
            description: preview.description.to_string(),
        }
    }
}

/// A text, or the first of several: an unencoded destination may have a
/// parameter of the same name.
fn first<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    deserializer.deserialize_any(FirstText)
}

struct FirstText;

impl<'de> de::Visitor<'de> for FirstText {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut texts: A) -> Result<String, A::Error> {
        let text = texts.next_element()?;
        while texts.next_element::<de::IgnoredAny>()?.is_some() {}
        text.ok_or_else(|| de::Error::invalid_length(0, &self))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::{query_to_json, read};

    fn url_of(query: &str) -> Result<String, Problem> {
        let destination = read::<SuggestSlug>(&query_to_json(query))?.check(&Rules::default())?;
        Ok(destination.to_string())
    }

    #[rstest]
    #[case(
        "url=https%3A%2F%2Fe.example%2F%3Fa%3D1%26b%3D2",
        "https://e.example/?a=1&b=2"
    )]
    #[case("url=https://e.example/a?b=1&c=2", "https://e.example/a?b=1")]
    #[case(
        "url=https://e.example/?a=1&url=https://f.example/&url=",
        "https://e.example/?a=1"
    )]
    fn what_remains_of_an_unencoded_url_is_taken(#[case] query: &str, #[case] url: &str) {
        assert_eq!(url_of(query).unwrap(), url);
    }

    #[test]
    fn faults_name_the_member() {
        for query in ["", "url=", "url=e.example", "url=javascript:alert(1)"] {
            assert_eq!(
                url_of(query).unwrap_err().issues[0].path,
                ["url"],
                "{query}"
            );
        }
        let both = json!({"url": "x", "locale": "Deutsch, bitte"});
        let problem = read::<SuggestPreview>(&both)
            .unwrap()
            .check(&Rules::default());
        let paths: Vec<_> = problem
            .unwrap_err()
            .issues
            .into_iter()
            .flat_map(|i| i.path)
            .collect();
        assert_eq!(paths, ["url", "locale"]);
    }
}
