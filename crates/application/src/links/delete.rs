//! Deletes a link.

use slugline_domain::{
    AuditedOperation, Link, LinkKey, Scope,
    ports::{Deletion, Version},
};

use super::{LinkService, LinkWriter, Precondition, writer::Attempts};
use crate::{
    access::{Access, Forbidden},
    caller::SeenLink,
    error::Error,
};

impl LinkService {
    /// The access rule of [`LinkWriter::delete`].
    pub const DELETE: Access = Access::outside_preview(Scope::LinksWrite, Forbidden::Delete);
}

impl LinkWriter {
    /// Deletes the link with this slug, in the spelling that visitors find, if it is a version that
    /// the deletion is meant for, and returns the deleted link. Returns `None` if no link has the
    /// slug and none was meant, which is no error, because the link is absent as the caller wants.
    ///
    /// # Errors
    /// Preview mode, the link is another version, there is no link although one was meant, other
    /// callers changed the link again and again, or the store failed.
    pub async fn delete(
        &self,
        key: &LinkKey,
        precondition: &Precondition,
    ) -> Result<Option<SeenLink>, Error> {
        self.permit(LinkService::DELETE)?;
        self.spend(1)?;
        let mut attempts = Attempts::default();
        loop {
            let link = match self.get(key).await {
                Err(Error::LinkNotFound(_)) => {
                    precondition.check_absent(key)?;
                    return Ok(None);
                }
                link => link?,
            };
            precondition.check(&link, self)?;
            let deleted = self.delete_version(&link).await;
            if attempts.end_with(&deleted) {
                return deleted.map(|()| Some(self.seen(link)));
            }
        }
    }

    /// Deletes a link if it is unchanged since it was read.
    ///
    /// # Errors
    /// Another caller changed it, or the store failed.
    pub(super) async fn delete_version(&self, link: &Link) -> Result<(), Error> {
        let known = Version::of(link);
        let note = self.note(AuditedOperation::LinkDelete);
        let store = &self.parts.store;
        let deleted = store.delete_version(&link.key, &known, &note).await;
        let is_deleted = matches!(deleted, Ok(Deletion::Deleted));
        self.parts.resolver.announce(&link.key, &note, is_deleted);
        match deleted? {
            Deletion::Deleted => Ok(()),
            Deletion::Outdated => Err(Error::Outdated(link.key.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::ports::LinkStore;
    use slugline_testkit::{NOTE, assert_matches, key, link};

    use super::*;
    use crate::links::fixture::{demonstration, fixture};

    #[tokio::test]
    async fn a_deleted_link_stops_leading_anywhere_at_once() {
        let fixture = fixture().holding(&link("docs").build()).await;
        assert!(fixture.leads("docs").await);
        let deleted = fixture
            .links
            .delete(&key("Docs"), &Precondition::None)
            .await
            .unwrap();
        assert_eq!(
            deleted,
            Some(SeenLink::Whole(link("docs").build().into(), None))
        );
        assert!(!fixture.leads("docs").await);
        let again = fixture
            .links
            .delete(&key("docs"), &Precondition::None)
            .await;
        assert_eq!(again.expect("deleting twice is fine"), None);
    }

    #[tokio::test]
    async fn a_deletion_meant_for_a_version_spares_every_other_one() {
        let read = link("docs").build();
        let fixture = fixture().holding(&read).await;
        let meant = Precondition::OneOf(vec![Version::of(&read)]);
        let mut changed = read.clone();
        changed.revision = read.revision.next();
        let known = Version::of(&read);
        fixture.store.update(&changed, &known, &NOTE).await.unwrap();
        let refused = fixture.links.delete(&key("Docs"), &meant).await;
        let Err(Error::PreconditionFailed { current, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(current, Some(SeenLink::Whole(changed.clone().into(), None)));

        let either = vec![Version::of(&read), Version::of(&changed)];
        let deleted = fixture
            .links
            .delete(&key("Docs"), &Precondition::OneOf(either))
            .await;
        assert_eq!(
            deleted.unwrap(),
            Some(SeenLink::Whole(changed.into(), None))
        );
        for meant in [meant, Precondition::Exists] {
            let nothing = fixture.links.delete(&key("docs"), &meant).await;
            assert_matches!(
                nothing,
                Err(Error::PreconditionFailed { current: None, .. })
            );
        }
    }

    #[tokio::test]
    async fn a_demonstration_lets_nobody_delete() {
        let fixture = demonstration().holding(&link("docs").build()).await;
        for meant in [Precondition::None, Precondition::Exists] {
            let refused = fixture.links.delete(&key("docs"), &meant).await;
            assert_matches!(refused, Err(Error::PreviewMode(_)));
        }
        assert!(fixture.links.get(&key("docs")).await.is_ok());
    }
}
