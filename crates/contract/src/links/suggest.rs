//! Suggests a slug or a preview for a destination.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use slugline_domain::{
    Description, Destination, DestinationRules, LanguageTag, Slug, SuggestedPreview, Title,
};

use crate::{
    Problem,
    bounds::Bounds,
    sent::{Sent, Wire},
    validation::Validation,
};

/// The destination to suggest a slug for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["url"]))]
pub struct SuggestSlug {
    /// The destination. Sink's browser extension does not encode it, so the parameters after its
    /// first `&` are taken for others, and missing.
    #[schemars(with = "String", url, length(min = 1, max = DestinationRules::DEFAULT_MAX_BYTES))]
    pub url: Sent<FirstText>,
}

impl SuggestSlug {
    /// Returns the destination.
    ///
    /// # Errors
    /// The destination is missing or invalid.
    pub fn validate(&self, bounds: &Bounds) -> Result<Destination, Problem> {
        let mut validation = Validation::default();
        let url = validation.required(&["url"], &self.url, |FirstText(url)| {
            Destination::parse(url, &bounds.destinations)
        });
        validation.finish(|| url)
    }
}

/// The destination to suggest a title and a text for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["url"]))]
pub struct SuggestPreview {
    /// The destination. Parameters after its first `&` are missing unless it is encoded.
    #[schemars(with = "String", url, length(min = 1, max = DestinationRules::DEFAULT_MAX_BYTES))]
    pub url: Sent<FirstText>,
    /// A language, such as `de-DE`. It changes nothing.
    #[schemars(length(max = LanguageTag::MAX_CHARS))]
    pub locale: Sent<String>,
}

impl SuggestPreview {
    /// Returns the destination.
    ///
    /// # Errors
    /// Lists every member that is missing, of another type or wrong.
    pub fn validate(&self, bounds: &Bounds) -> Result<Destination, Problem> {
        let mut validation = Validation::default();
        let url = validation.required(&["url"], &self.url, |FirstText(url)| {
            Destination::parse(url, &bounds.destinations)
        });
        let named = validation.value(&["locale"], &self.locale);
        let named = named.filter(|locale| !locale.is_empty());
        named.and_then(|named| validation.member(&["locale"], named.parse::<LanguageTag>()));
        validation.finish(|| url)
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

/// A text, or the first of several: an unencoded destination may have a parameter
/// of the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstText(pub String);

impl Wire for FirstText {
    const TYPE: &'static str = String::TYPE;

    fn from_json(value: Value) -> Option<Self> {
        if let Value::Array(texts) = value {
            return String::from_json(texts.into_iter().next()?).map(Self);
        }
        String::from_json(value).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::{
        faults::paths,
        reader::{query_to_json, read},
    };

    fn url_of(query: &str) -> Result<String, Problem> {
        let destination =
            read::<SuggestSlug>(&query_to_json(query))?.validate(&Bounds::default())?;
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
            assert_eq!(paths(url_of(query))[0], "url", "{query}");
        }
        let both = json!({"url": "x", "locale": "Deutsch, bitte"});
        let both = read::<SuggestPreview>(&both).unwrap();
        assert_eq!(paths(both.validate(&Bounds::default())), ["url", "locale"]);
    }
}
