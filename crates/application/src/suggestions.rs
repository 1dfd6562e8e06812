//! Suggests slugs and previews.

use std::sync::Arc;

use slugline_domain::{
    Description, Destination, LanguageTag, Scope, Slug, SlugCase, SuggestedPreview, Title,
    ports::Suggester,
};

use crate::{Access, Forbidden};

/// Suggests slugs and previews for destinations. There is always an answer: if the
/// language model has no usable one, the answer is derived from the destination alone.
#[derive(Clone, Debug)]
pub struct Suggestions {
    suggester: Option<Arc<dyn Suggester>>,
    case: SlugCase,
}

impl Suggestions {
    /// The access rule of every suggestion. Only adapters check it.
    pub const NEEDS: Access = Access::outside_preview(Scope::LinksWrite, Forbidden::Suggest);

    /// Uses this suggester, if there is one.
    pub fn new(suggester: Option<Arc<dyn Suggester>>, case: SlugCase) -> Self {
        Self { suggester, case }
    }

    /// Returns a slug, in the spelling under which it would be stored. It may be taken.
    pub async fn slug(&self, destination: &Destination) -> Slug {
        let suggested = match &self.suggester {
            Some(suggester) => suggester.slug(destination).await,
            None => None,
        };
        let slug = suggested
            .and_then(|words| Slug::from_words(&words))
            .unwrap_or_else(|| Slug::from_destination(destination));
        self.case.canonical(&slug).into_owned()
    }

    /// Returns a title and a text in this language.
    pub async fn preview(
        &self,
        destination: &Destination,
        language: &LanguageTag,
    ) -> SuggestedPreview {
        let suggested = match &self.suggester {
            Some(suggester) => suggester.preview(destination, language).await,
            None => None,
        };
        let suggested = suggested.map(|(title, description)| SuggestedPreview {
            title: Title::clipped(&title),
            description: Description::clipped(&description),
        });
        suggested
            .filter(|preview| {
                !preview.title.as_str().is_empty() && !preview.description.as_str().is_empty()
            })
            .unwrap_or_else(|| SuggestedPreview::from_destination(destination))
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::{ScriptedSuggester, destination};

    use super::*;

    const URL: &str = "https://www.example.com/Some-Page";

    fn asking(suggester: ScriptedSuggester, case: SlugCase) -> Suggestions {
        Suggestions::new(Some(Arc::new(suggester)), case)
    }

    #[tokio::test]
    async fn a_suggested_slug_is_made_valid_or_replaced() {
        for (said, insensitive, sensitive) in [
            ("Rust Book", "rust-book", "Rust-Book"),
            ("/etc/passwd", "etc-passwd", "etc-passwd"),
            ("", "some-page", "Some-Page"),
            ("<>", "some-page", "Some-Page"),
        ] {
            for (case, slug) in [
                (SlugCase::Insensitive, insensitive),
                (SlugCase::Sensitive, sensitive),
            ] {
                let suggestions = asking(ScriptedSuggester::saying(said, "t", "d"), case);
                assert_eq!(suggestions.slug(&destination(URL)).await.as_str(), slug);
            }
        }
    }

    #[tokio::test]
    async fn a_suggested_preview_is_bounded_or_replaced_as_a_whole() {
        let english: LanguageTag = "en-US".parse().unwrap();
        let said = |title: &str, description: &str| {
            let suggester = ScriptedSuggester::saying("s", title, description);
            asking(suggester, SlugCase::default())
        };
        let url = destination(URL);
        let long = said("A\ttitle\0", &"d".repeat(9_999));
        let preview = long.preview(&url, &english).await;
        assert_eq!(preview.title.as_str(), "A title");
        assert_eq!(preview.description.as_str().len(), Description::MAX_CHARS);
        for halves in [said("", "text"), said("title", " \n")] {
            let preview = halves.preview(&url, &english).await;
            assert_eq!(preview.title.as_str(), "example.com");
            assert!(preview.description.as_str().ends_with(URL));
        }
    }

    #[tokio::test]
    async fn without_a_suggester_or_with_a_silent_one_the_destination_speaks() {
        let silent = asking(ScriptedSuggester::default(), SlugCase::default());
        for suggestions in [silent, Suggestions::new(None, SlugCase::default())] {
            let url = destination(URL);
            assert_eq!(suggestions.slug(&url).await.as_str(), "some-page");
            let english = "en".parse().unwrap();
            let preview = suggestions.preview(&url, &english).await;
            assert_eq!(preview.title.as_str(), "example.com");
        }
    }
}
