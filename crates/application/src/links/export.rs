//! Exports links for another instance or for a backup.

use slugline_domain::{
    DomainName, LinkFilter, LinkOrder, PageSize, Position, Scope, StatusFilter, UnixMillis,
};

use super::{LinkPage, LinkReader, LinkService, ListLinks};
use crate::{
    access::{Access, Forbidden},
    error::Error,
};

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
            filter: LinkFilter::default()
                .with_domain(domain)
                .with_status(StatusFilter::All),
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
    use slugline_domain::ports::LinkStore;
    use slugline_testkit::{NOON, NOTE, link};

    use super::*;
    use crate::links::fixture::fixture;

    #[tokio::test]
    async fn every_link_comes_with_its_stored_password() {
        let fixture = fixture();
        let expired = link("expired").expires(-1).password("stored").build();
        let active = link("active").created(1).build();
        for link in [&expired, &active] {
            fixture.store.insert(link, &NOTE).await.unwrap();
        }
        let one = PageSize::new(1).unwrap();
        let first = fixture.links.export(None, one, None).await.unwrap();
        assert_eq!(first.exported_at, NOON.start());
        assert_eq!(first.page.links, [active]);
        let second = fixture
            .links
            .export(None, one, first.page.next)
            .await
            .unwrap();
        assert_eq!(second.page.links, [expired]);
        assert_eq!(second.page.next, None);
    }
}
