//! Finds many links: lists them page by page, searches and counts them, lists their tags, and exports
//! them for another instance or for a backup.

use std::collections::BTreeSet;

use slugline_domain::{
    DomainName, Link, LinkFilter, LinkId, LinkOrder, ListQuery, PageSize, Position, Scope,
    StatusFilter, Tag, TagCount, UnixMillis,
};

use super::{LinkReader, LinkService};
use crate::{
    access::{Access, Forbidden},
    error::Error,
};

/// A request for a page.
#[derive(Clone, Debug, Default)]
pub struct ListLinks {
    /// The most links on the page.
    pub size: PageSize,
    /// The order of the links.
    pub order: LinkOrder,
    /// Only links that meet this.
    pub filter: LinkFilter,
    /// Only links after this position.
    pub after: Option<Position>,
}

/// Some links, and the position of the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkPage {
    /// The links in order.
    pub links: Vec<Link>,
    /// The position to continue from; `None` on the last page.
    pub next: Option<Position>,
}

impl LinkService {
    /// The access rule of [`LinkReader::list`].
    pub const LIST: Access = Access::with_links(Scope::LinksRead);
}

impl LinkReader {
    /// Returns one page of links. Links that are created or removed between two pages do
    /// not shift the later page.
    ///
    /// # Errors
    /// The store failed.
    pub async fn list(&self, request: ListLinks) -> Result<LinkPage, Error> {
        self.permit(LinkService::LIST)?;
        let query = ListQuery {
            now: self.now().second(),
            order: request.order,
            filter: self.within_reach(request.filter)?,
            after: request.after,
            limit: request.size.limit(),
        };
        let mut links = self.parts.store.list(&query).await?;
        let next = request.size.cut(&mut links, Position::after);
        Ok(LinkPage { links, next })
    }

    /// The filter in the domain that the caller means, for the links that the caller may see.
    pub(super) fn within_reach(&self, mut filter: LinkFilter) -> Result<LinkFilter, Error> {
        if let Some(domain) = filter.domain.take() {
            filter.domain = Some(self.domains().meant(domain)?);
        }
        if filter.status == StatusFilter::Broken && self.parts.watch.is_none() {
            return Err(Error::NotWatching);
        }
        Ok(LinkFilter {
            reach: self.reach.clone(),
            ..filter
        })
    }
}

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
        if !filter.looks_for_something() {
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
    /// The domain is not named, or the store failed.
    pub async fn tags(&self, domain: Option<DomainName>) -> Result<Vec<TagCount>, Error> {
        self.permit(LinkService::TAGS)?;
        let domain = domain.map(|name| self.domains().meant(name)).transpose()?;
        let store = &self.parts.store;
        Ok(store.tags(&self.reach, domain.as_ref()).await?)
    }
}

/// The most links that a query to the access log can name by their tags. ClickHouse reads
/// 40 bytes for each, up to twice in a statement, and accepts statements of 64 MiB.
pub const MAX_TAGGED: u32 = 250_000;

impl LinkReader {
    /// Returns the identifiers of the links that have any of these tags today, expired
    /// links included.
    ///
    /// # Errors
    /// There are more than 250,000, links still have to be moved here, or the
    /// store failed.
    pub async fn tagged(&self, tags: &BTreeSet<Tag>) -> Result<BTreeSet<LinkId>, Error> {
        self.permit(Access::LINKS_ARE_HERE)?;
        let found = self.parts.store.tagged(tags, MAX_TAGGED + 1).await?;
        if found.len() > usize::try_from(MAX_TAGGED).unwrap_or(usize::MAX) {
            return Err(Error::TooManyTagged { max: MAX_TAGGED });
        }
        Ok(found)
    }
}

/// Some stored links, and the position of the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportPage {
    /// The time at which the links were read.
    pub exported_at: UnixMillis,
    /// The links with their stored passwords, and the next position.
    pub page: LinkPage,
}

impl LinkService {
    /// The access rule of [`LinkReader::export`]. Exports hold the hashes of passwords.
    pub const EXPORT: Access = Access::outside_preview(Scope::Admin, Forbidden::Export);
    /// Links on a page of an export.
    pub const EXPORT_PAGE: u16 = 50;
}

impl LinkReader {
    /// Returns one page of the links of a domain, or of all, expired ones too, newest first.
    ///
    /// # Errors
    /// Preview mode, or the store failed.
    pub async fn export(
        &self,
        domain: Option<DomainName>,
        size: PageSize,
        after: Option<Position>,
    ) -> Result<ExportPage, Error> {
        self.permit(LinkService::EXPORT)?;
        let request = ListLinks {
            size,
            order: LinkOrder::Newest,
            filter: LinkFilter {
                domain,
                status: StatusFilter::All,
                ..LinkFilter::default()
            },
            after,
        };
        Ok(ExportPage {
            exported_at: self.now(),
            page: self.list(request).await?,
        })
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::StatusFilter;
    use slugline_testkit::{NOON, destination, link, tag, with};

    use super::*;
    use crate::links::fixture::fixture;

    #[tokio::test]
    async fn the_last_page_says_so_even_when_it_is_full() {
        let links = [("a", 0), ("b", 1), ("c", 2), ("d", 3)];
        let [a, b, c, d] = links.map(|(name, created)| link(name).created(created).build());
        let all = [a.clone(), b.clone(), c.clone(), d.clone()];
        let fixture = fixture().holding_all(&all).await;
        let two = PageSize::new(2).unwrap();
        let mut request = with(ListLinks::default(), |it| it.size = two);
        let first = fixture.links.list(request.clone()).await.unwrap();
        assert_eq!(first.links, [d, c]);
        request.after = first.next;
        assert!(request.after.is_some());
        let second = fixture.links.list(request).await.unwrap();
        assert_eq!(second.links, [b, a]);
        assert_eq!(second.next, None);
    }

    #[tokio::test]
    async fn nothing_to_look_for_finds_nothing_but_counts_everything() {
        let links = [link("a").tags(&["t"]).build(), link("b").expires(1).build()];
        let fixture = fixture().holding_all(&links).await;
        let search = async |filter| {
            let found = fixture.links.search(filter, PageSize::default()).await;
            found.unwrap().len()
        };
        assert_eq!(search(LinkFilter::default()).await, 0);
        assert_eq!(fixture.links.count(LinkFilter::default()).await.unwrap(), 2);
        fixture.clock.advance_seconds(1);
        assert_eq!(fixture.links.count(LinkFilter::default()).await.unwrap(), 1);

        let all = LinkFilter {
            destination: Some(destination("https://example.com/?any")),
            status: StatusFilter::All,
            ..LinkFilter::default()
        };
        assert_eq!(search(all).await, 2);
        let counts = fixture.links.tags(None).await.unwrap();
        let (tag, links) = (tag("t"), 1);
        assert_eq!(counts, [TagCount { tag, links }]);
    }

    #[tokio::test]
    async fn every_link_comes_with_its_stored_password() {
        let expired = link("expired").expires(-1).password("stored").build();
        let active = link("active").created(1).build();
        let fixture = fixture().holding(&expired).await.holding(&active).await;
        let one = PageSize::new(1).unwrap();
        let first = fixture.links.export(None, one, None).await.unwrap();
        assert_eq!(first.exported_at, NOON.start());
        assert_eq!(first.page.links, [active]);
        let second = fixture.links.export(None, one, first.page.next).await;
        let second = second.unwrap();
        assert_eq!(second.page.links, [expired]);
        assert_eq!(second.page.next, None);
    }
}
