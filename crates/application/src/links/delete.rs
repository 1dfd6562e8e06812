//! Deleting a link.

use slugline_domain::{Link, Slug};

use super::LinkService;
use crate::{Access, Error, Forbidden};

impl LinkService {
    /// What the instance must allow for [`Self::delete`].
    pub const DELETE: Access = Access::OutsidePreview(Forbidden::Delete);

    /// Deletes the link with this slug for good, in the spelling that visitors
    /// meet, and returns it as it was. `None` when no link has the slug, which
    /// is no error: the caller's wish is fulfilled.
    ///
    /// # Errors
    /// Preview mode, or the store failed.
    pub async fn delete(&self, slug: &Slug) -> Result<Option<Link>, Error> {
        self.permit(Self::DELETE)?;
        let canonical = self.parts.policy.case.canonical(slug);
        let deleted = self.delete_spelled(&canonical).await?;
        if deleted.is_none() && canonical.as_ref() != slug {
            return self.delete_spelled(slug).await;
        }
        Ok(deleted)
    }

    async fn delete_spelled(&self, slug: &Slug) -> Result<Option<Link>, Error> {
        let deleted = self.parts.store.delete(slug).await;
        // Also after an error: the link may have gone before it.
        self.parts.resolver.forget(slug);
        Ok(deleted?)
    }
}

#[cfg(test)]
mod tests {
    use slugline_testkit::{link, slug};

    use crate::{
        Error,
        links::fixture::{demonstration, fixture},
    };

    #[tokio::test]
    async fn a_deleted_link_stops_leading_anywhere_at_once() {
        let fixture = fixture().holding(&link("docs").build()).await;
        assert!(fixture.leads("docs").await);
        let deleted = fixture.links.delete(&slug("Docs")).await.unwrap();
        assert_eq!(deleted, Some(link("docs").build()));
        assert!(!fixture.leads("docs").await);
        let again = fixture.links.delete(&slug("docs")).await;
        assert_eq!(again.expect("deleting twice is fine"), None);
    }

    #[tokio::test]
    async fn a_demonstration_lets_nobody_delete() {
        let fixture = demonstration().holding(&link("docs").build()).await;
        let refused = fixture.links.delete(&slug("docs")).await;
        assert!(matches!(refused, Err(Error::PreviewMode(_))));
        assert!(fixture.links.get(&slug("docs")).await.is_ok());
    }
}
