//! Making a link unless its slug is in use.

use slugline_domain::{Link, LinkStatus};

use super::{LinkService, NewLink};
use crate::{Access, Error};

/// What an upsert came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upserted {
    /// The link was made.
    Created(Link),
    /// An active link owns the slug, and stays as it is.
    Existing(Link),
}

impl LinkService {
    /// Makes a link, or answers with the active one that owns the slug.
    ///
    /// # Errors
    /// As for [`LinkService::create`]; a taken slug only when its owner
    /// vanished in between.
    pub async fn upsert(&self, new: NewLink) -> Result<Upserted, Error> {
        self.permit(Access::Links)?;
        let slug = new.slug.clone();
        match self.create(new).await {
            Ok(link) => Ok(Upserted::Created(link)),
            Err(taken @ Error::SlugTaken(_)) => {
                let Some(slug) = slug else { return Err(taken) };
                let owner = self.get(&slug).await.map_err(|error| {
                    if matches!(error, Error::LinkNotFound(_)) {
                        taken
                    } else {
                        error
                    }
                })?;
                let now = self.parts.clock.now().second();
                match owner.status_at(now) {
                    LinkStatus::Active => Ok(Upserted::Existing(owner)),
                    LinkStatus::Expired => Err(Error::SlugTaken(owner.slug)),
                }
            }
            Err(other) => Err(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::ports::LinkStore;
    use slugline_testkit::{NOON, destination, link, slug};

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
        let fixture = fixture();
        let active = link("active").tags(&["a"]).build();
        fixture.store.insert(&active, NOON).await.unwrap();
        fixture
            .store
            .insert(&link("gone").expires(0).build(), NOON)
            .await
            .unwrap();
        let existing = fixture.links.upsert(new(Some("ACTIVE"))).await.unwrap();
        assert_eq!(existing, Upserted::Existing(active));
        for made in [
            fixture.links.upsert(new(Some("gone"))).await,
            fixture.links.upsert(new(None)).await,
        ] {
            assert!(matches!(made, Ok(Upserted::Created(_))), "{made:?}");
        }
    }
}
