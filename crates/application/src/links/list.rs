//! Lists links page by page.

use slugline_domain::{
    Link, LinkFilter, LinkOrder, ListQuery, PageSize, Position, Scope, StatusFilter,
};

use super::{LinkReader, LinkService};
use crate::{access::Access, error::Error};

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
        let size = usize::from(request.size.get());
        // Reads one link more than requested, to learn if there is a next page.
        let query = ListQuery::new(self.now().second(), u32::from(request.size.get()) + 1)
            .with_order(request.order)
            .with_filter(self.within_reach(request.filter)?)
            .with_after(request.after);
        let mut links = self.parts.store.list(&query).await?;
        let more = links.len() > size;
        links.truncate(size);
        let next = links.last().filter(|_| more).map(Position::after);
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
        Ok(filter.with_reach(self.reach.clone()))
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::ports::LinkStore;
    use slugline_testkit::{NOTE, link};

    use super::*;
    use crate::links::fixture::fixture;

    #[tokio::test]
    async fn the_last_page_says_so_even_when_it_is_full() {
        let fixture = fixture();
        for (i, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
            let created = i64::try_from(i).unwrap();
            fixture
                .store
                .insert(&link(name).created(created).build(), &NOTE)
                .await
                .unwrap();
        }
        let mut request = ListLinks {
            size: PageSize::new(2).unwrap(),
            ..ListLinks::default()
        };
        let first = fixture.links.list(request.clone()).await.unwrap();
        assert_eq!(
            first
                .links
                .iter()
                .map(|l| l.key.slug.as_str())
                .collect::<Vec<_>>(),
            ["d", "c"]
        );
        request.after = first.next;
        assert!(request.after.is_some());
        let second = fixture.links.list(request).await.unwrap();
        assert_eq!(
            second
                .links
                .iter()
                .map(|l| l.key.slug.as_str())
                .collect::<Vec<_>>(),
            ["b", "a"]
        );
        assert_eq!(second.next, None);
    }
}
