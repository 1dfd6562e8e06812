//! Finds a free slug similar to one that is taken.

use slugline_domain::{LinkKey, Slug};

use super::LinkService;
use crate::Error;

impl LinkService {
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
}
