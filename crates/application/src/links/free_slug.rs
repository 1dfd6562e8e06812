//! Suggests slugs: one for a destination, and a free one similar to one that is taken.

use slugline_domain::{Destination, DomainName, LinkKey, Scope, Slug};

use super::LinkService;
use crate::{
    access::{Access, Forbidden},
    error::Error,
};

impl LinkService {
    /// The access rule of suggestions of slugs and previews. Only adapters check it.
    pub const SUGGEST: Access = Access::outside_preview(Scope::LinksWrite, Forbidden::Suggest);

    /// Suggests a slug for a destination, in the spelling under which the default domain would
    /// store it. It may be taken.
    pub fn suggested_slug(&self, destination: &Destination) -> Slug {
        let case = self.domains().case_in(&DomainName::DEFAULT);
        case.canonical(&Slug::from_destination(destination))
            .into_owned()
    }

    /// Returns the error for a taken slug, with a free slug.
    pub(super) async fn slug_taken(&self, key: LinkKey) -> Error {
        let free = self.free_beside(&key).await;
        Error::SlugTaken { key, free }
    }

    /// Returns the first of `docs-2`, `docs-3` and so on that no link has, not even an
    /// expired one. A few look-ups cost less than the caller's guesses.
    async fn free_beside(&self, taken: &LinkKey) -> Option<LinkKey> {
        const LAST: u32 = 5;
        for number in 2..=LAST {
            let key = LinkKey {
                domain: taken.domain.clone(),
                slug: Slug::parse(&format!("{}-{number}", taken.slug)).ok()?,
            };
            if let Err(Error::LinkNotFound(_)) = self.find(&key).await {
                return Some(key);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::{destination, key, slug};

    use super::*;
    use crate::links::{NewLink, fixture::fixture};

    #[tokio::test]
    async fn a_taken_slug_comes_with_the_next_free_one() {
        let fixture = fixture();
        let new = |text: &str| NewLink {
            slug: Some(slug(text)),
            ..NewLink::leading_to(destination("https://example.com/"))
        };
        for text in ["docs", "docs-2"] {
            fixture.links.create(new(text)).await.unwrap();
        }
        let Err(Error::SlugTaken { key: taken, free }) = fixture.links.create(new("docs")).await
        else {
            panic!("the slug is taken")
        };
        assert_eq!((taken, free), (key("docs"), Some(key("docs-3"))));
        for text in ["docs-3", "docs-4", "docs-5"] {
            fixture.links.create(new(text)).await.unwrap();
        }
        let refused = fixture.links.create(new("docs")).await;
        assert!(matches!(refused, Err(Error::SlugTaken { free: None, .. })));
        let long = "a".repeat(Slug::MAX_CHARS);
        fixture.links.create(new(&long)).await.unwrap();
        let refused = fixture.links.create(new(&long)).await;
        assert!(matches!(refused, Err(Error::SlugTaken { free: None, .. })));
    }

    #[test]
    fn a_suggested_slug_has_the_spelling_of_the_default_domain() {
        let links = fixture().links;
        let suggested = links.suggested_slug(&destination("https://www.example.com/Some-Page"));
        assert_eq!(suggested.as_str(), "some-page");
    }
}
