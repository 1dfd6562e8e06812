//! Deleting a link.

use slugline_domain::{LinkId, Slug};

use super::LinkService;
use crate::Error;

impl LinkService {
    /// Deletes the link with this slug for good, in the spelling that visitors
    /// meet. Deleting what is not there is
    /// no error: the caller's wish is fulfilled.
    ///
    /// # Errors
    /// Preview mode, or the store failed.
    pub async fn delete(&self, slug: &Slug) -> Result<(), Error> {
        self.may_delete()?;
        let canonical = self.parts.policy.case.canonical(slug);
        let deleted = self.delete_spelled(&canonical).await?;
        if deleted.is_none() && canonical.as_ref() != slug {
            self.delete_spelled(slug).await?;
        }
        Ok(())
    }

    async fn delete_spelled(&self, slug: &Slug) -> Result<Option<LinkId>, Error> {
        let deleted = self.parts.store.delete(slug).await;
        // Also after an error: the link may have gone before it.
        self.parts.resolver.forget(slug);
        Ok(deleted?)
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::ports::LinkStore;
    use slugline_testkit::{NOON, link, slug};

    use crate::{
        Error,
        links::fixture::{demonstration, house},
    };

    #[tokio::test]
    async fn a_deleted_link_stops_leading_anywhere_at_once() {
        let house = house();
        house
            .store
            .insert(&link("docs").build(), NOON)
            .await
            .unwrap();
        assert!(house.resolver.find(&slug("docs")).await.unwrap().is_some());
        house.links.delete(&slug("Docs")).await.unwrap();
        assert!(house.resolver.find(&slug("docs")).await.unwrap().is_none());
        house
            .links
            .delete(&slug("docs"))
            .await
            .expect("deleting twice is fine");
    }

    #[tokio::test]
    async fn a_demonstration_lets_nobody_delete() {
        let house = demonstration();
        house
            .store
            .insert(&link("docs").build(), NOON)
            .await
            .unwrap();
        let refused = house.links.delete(&slug("docs")).await;
        assert!(matches!(refused, Err(Error::PreviewMode(_))));
        assert!(house.links.get(&slug("docs")).await.is_ok());
    }
}
