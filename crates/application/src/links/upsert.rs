//! Creates a link unless its slug is in use.

use slugline_domain::{Link, LinkStatus, Scope};

use super::{CreateTerms, Created, LinkService, LinkWriter, NewLink, create::Made};
use crate::{access::Access, caller::SeenLink, error::Error};

/// The outcome of an upsert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upserted {
    /// The link was created.
    Created(Box<Link>),
    /// A link that is not expired owns the slug, and stays unchanged.
    Existing(SeenLink),
}

impl LinkService {
    /// The access rule of [`LinkWriter::upsert`].
    pub const UPSERT: Access = Access::with_links(Scope::LinksWrite);
}

impl LinkWriter {
    /// Creates a link, or returns the link that owns the slug and is not expired.
    ///
    /// # Errors
    /// As for [`LinkWriter::create`]; a taken slug is an error only if its owner
    /// vanished in between.
    pub async fn upsert(&self, new: NewLink) -> Result<Upserted, Error> {
        self.upsert_as(new, &CreateTerms::default()).await
    }

    /// As [`LinkWriter::upsert`], on terms. A link that is only checked counts as created.
    ///
    /// # Errors
    /// As for [`LinkWriter::upsert`].
    pub async fn upsert_as(&self, new: NewLink, terms: &CreateTerms) -> Result<Upserted, Error> {
        self.permit(LinkService::UPSERT)?;
        let key = match self.make(new, terms).await? {
            Made::Created(Created::Stored(link) | Created::Valid(link)) => {
                return Ok(Upserted::Created(link));
            }
            Made::Created(Created::Reused(link)) => {
                return Ok(Upserted::Existing(SeenLink::Whole(link)));
            }
            Made::SlugTaken(key) => key,
        };
        let owner = match self.get(&key).await {
            Ok(owner) => owner,
            Err(Error::LinkNotFound(_)) => return Err(self.slug_taken(key).await),
            Err(other) => return Err(other),
        };
        let now = self.now().second();
        match owner.status_at(now) {
            LinkStatus::Active
            | LinkStatus::Scheduled
            | LinkStatus::UsedUp
            | LinkStatus::Disabled => Ok(Upserted::Existing(self.seen(owner))),
            LinkStatus::Expired => Err(self.slug_taken(key).await),
        }
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::{destination, link, slug};

    use super::*;
    use crate::links::fixture::fixture;

    fn new(text: Option<&str>) -> NewLink {
        NewLink {
            slug: text.map(slug),
            ..NewLink::leading_to(destination("https://example.org/"))
        }
    }

    #[tokio::test]
    async fn an_active_owner_stays_untouched_and_an_expired_one_is_replaced() {
        let active = link("active").tags(&["a"]).build();
        let gone = link("gone").expires(0).build();
        let fixture = fixture().holding(&active).await.holding(&gone).await;
        let existing = fixture.links.upsert(new(Some("ACTIVE"))).await.unwrap();
        assert_eq!(existing, Upserted::Existing(SeenLink::Whole(active.into())));
        for made in [
            fixture.links.upsert(new(Some("gone"))).await,
            fixture.links.upsert(new(None)).await,
        ] {
            assert!(matches!(made, Ok(Upserted::Created(_))), "{made:?}");
        }
    }
}
