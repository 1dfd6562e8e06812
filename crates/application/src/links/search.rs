//! Looking for links, counting them, and listing their tags.

use slugline_domain::{
    Destination, Link, LinkFilter, PageSize, SearchText, StatusFilter, Tag, TagCount,
};

use super::LinkService;
use crate::{Access, Error};

/// Which links are meant: those that meet every condition.
#[derive(Clone, Debug, Default)]
pub struct SearchLinks {
    /// Links that hold this text in slug, destination, comment or a tag.
    pub text: Option<SearchText>,
    /// Links that lead to this place, whatever the query strings.
    pub destination: Option<Destination>,
    /// Links with this tag.
    pub tag: Option<Tag>,
    /// Status.
    pub status: StatusFilter,
}

impl LinkService {
    /// Links by slug, at most `size`. Without a text or a destination there is
    /// nothing to look for, so nothing is found; listing is another use case.
    ///
    /// # Errors
    /// The store failed.
    pub async fn search(&self, search: SearchLinks, size: PageSize) -> Result<Vec<Link>, Error> {
        self.permit(Access::Links)?;
        if search.text.is_none() && search.destination.is_none() {
            return Ok(Vec::new());
        }
        let filter = self.filter(search);
        Ok(self
            .parts
            .store
            .search(&filter, u32::from(size.get()))
            .await?)
    }

    /// How many links meet every condition; all of them when there is none.
    ///
    /// # Errors
    /// The store failed.
    pub async fn count(&self, search: SearchLinks) -> Result<u64, Error> {
        self.permit(Access::Links)?;
        Ok(self.parts.store.count(&self.filter(search)).await?)
    }

    /// Every tag with the number of its links, expired ones included, by tag.
    ///
    /// # Errors
    /// The store failed.
    pub async fn tags(&self) -> Result<Vec<TagCount>, Error> {
        self.permit(Access::Links)?;
        Ok(self.parts.store.tags().await?)
    }

    fn filter(&self, search: SearchLinks) -> LinkFilter {
        LinkFilter {
            now: self.parts.clock.now().second(),
            text: search.text,
            destination: search.destination,
            tag: search.tag,
            status: search.status,
        }
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::ports::LinkStore;
    use slugline_testkit::{NOON, destination, link, tag};

    use super::*;
    use crate::links::fixture::fixture;

    #[tokio::test]
    async fn nothing_to_look_for_finds_nothing_but_counts_everything() {
        let fixture = fixture();
        for made in [link("a").tags(&["t"]).build(), link("b").expires(1).build()] {
            fixture.store.insert(&made, NOON).await.unwrap();
        }
        let nothing = fixture
            .links
            .search(SearchLinks::default(), PageSize::default())
            .await;
        assert_eq!(nothing.unwrap(), []);
        assert_eq!(
            fixture.links.count(SearchLinks::default()).await.unwrap(),
            2
        );
        fixture.clock.advance_seconds(1);
        assert_eq!(
            fixture.links.count(SearchLinks::default()).await.unwrap(),
            1
        );

        let to = Some(destination("https://example.com/?any"));
        let all = SearchLinks {
            destination: to,
            status: StatusFilter::All,
            ..SearchLinks::default()
        };
        assert_eq!(
            fixture
                .links
                .search(all, PageSize::default())
                .await
                .unwrap()
                .len(),
            2
        );
        let counts = fixture.links.tags().await.unwrap();
        assert_eq!(
            counts,
            [TagCount {
                tag: tag("t"),
                links: 1
            }]
        );
    }
}
