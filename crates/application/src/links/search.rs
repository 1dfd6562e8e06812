//! Searches links, counts them, and lists their tags.

use slugline_domain::{DomainName, Link, LinkFilter, PageSize, Scope, TagCount};

use super::{LinkReader, LinkService};
use crate::{access::Access, error::Error};

impl LinkService {
    /// The access rule of [`LinkReader::search`].
    pub const SEARCH: Access = Access::with_links(Scope::LinksRead);
    /// The access rule of [`LinkReader::count`].
    pub const COUNT: Access = Access::with_links(Scope::LinksRead);
    /// The access rule of [`LinkReader::tags`].
    pub const TAGS: Access = Access::with_links(Scope::LinksRead);
}

impl LinkReader {
    /// Finds at most `size` links, by key. Without a text or a destination the result is
    /// empty; [`Self::list`] lists links.
    ///
    /// # Errors
    /// The store failed.
    pub async fn search(&self, filter: LinkFilter, size: PageSize) -> Result<Vec<Link>, Error> {
        self.permit(LinkService::SEARCH)?;
        if filter.text.is_none() && filter.destination.is_none() {
            return Ok(Vec::new());
        }
        let filter = self.within_reach(filter)?;
        let now = self.now().second();
        Ok(self
            .parts
            .store
            .search(&filter, now, u32::from(size.get()))
            .await?)
    }

    /// Counts the links that meet every condition; all links when there is none.
    ///
    /// # Errors
    /// The store failed.
    pub async fn count(&self, filter: LinkFilter) -> Result<u64, Error> {
        self.permit(LinkService::COUNT)?;
        let filter = self.within_reach(filter)?;
        let now = self.now().second();
        Ok(self.parts.store.count(&filter, now).await?)
    }

    /// Lists every tag of links of a domain, or of all, with the number of these links, expired
    /// ones included, by tag.
    ///
    /// # Errors
    /// Nobody has named the domain, or the store failed.
    pub async fn tags(&self, domain: Option<DomainName>) -> Result<Vec<TagCount>, Error> {
        self.permit(LinkService::TAGS)?;
        let domain = domain.map(|name| self.domains().meant(name)).transpose()?;
        let store = &self.parts.store;
        Ok(store.tags(&self.reach, domain.as_ref()).await?)
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::{StatusFilter, ports::LinkStore};
    use slugline_testkit::{NOTE, destination, link, tag};

    use super::*;
    use crate::links::fixture::fixture;

    #[tokio::test]
    async fn nothing_to_look_for_finds_nothing_but_counts_everything() {
        let fixture = fixture();
        for made in [link("a").tags(&["t"]).build(), link("b").expires(1).build()] {
            fixture.store.insert(&made, &NOTE).await.unwrap();
        }
        let nothing = fixture
            .links
            .search(LinkFilter::default(), PageSize::default())
            .await;
        assert_eq!(nothing.unwrap(), []);
        assert_eq!(fixture.links.count(LinkFilter::default()).await.unwrap(), 2);
        fixture.clock.advance_seconds(1);
        assert_eq!(fixture.links.count(LinkFilter::default()).await.unwrap(), 1);

        let to = Some(destination("https://example.com/?any"));
        let all = LinkFilter::default()
            .with_destination(to)
            .with_status(StatusFilter::All);
        assert_eq!(
            fixture
                .links
                .search(all, PageSize::default())
                .await
                .unwrap()
                .len(),
            2
        );
        let counts = fixture.links.tags(None).await.unwrap();
        assert_eq!(
            counts,
            [TagCount {
                tag: tag("t"),
                links: 1
            }]
        );
    }
}
