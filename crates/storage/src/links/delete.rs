//! Deleting a link.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use slugline_domain::{
    AuditNote, Link, Slug,
    ports::{Deletion, Version},
};

use super::{find::FindLink, update::of_version};
use crate::{
    audit_lines::write_line,
    entity::link,
    failure::Failure,
    session::{Applied, Change, Read, Session},
};

/// Deletes the link with a slug, and returns it as it was.
#[derive(Debug)]
pub(super) struct DeleteLink {
    pub(super) slug: Slug,
    pub(super) note: AuditNote,
}

impl Change for DeleteLink {
    type Answer = Option<Link>;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Option<Link>>, Failure> {
        let slug = self.slug.clone();
        let link = FindLink { slug }.read(session).await?;
        // The foreign key deletes the tags with their link.
        let of_slug = link::Column::Slug.eq(self.slug.as_str());
        let delete = link::Entity::delete_many().filter(of_slug);
        if session.execute(&delete).await? > 0 {
            write_line(session, &self.note, &self.slug).await?;
        }
        Ok(Applied::Keep(link))
    }
}

/// Deletes the version of a link that its author knew.
#[derive(Debug)]
pub(super) struct DeleteVersion {
    pub(super) slug: Slug,
    pub(super) known: Version,
    pub(super) note: AuditNote,
}

impl Change for DeleteVersion {
    type Answer = Deletion;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Deletion>, Failure> {
        let delete = link::Entity::delete_many().filter(of_version(&self.slug, &self.known));
        if session.execute(&delete).await? == 0 {
            return Ok(Applied::Keep(Deletion::Outdated));
        }
        write_line(session, &self.note, &self.slug).await?;
        Ok(Applied::Keep(Deletion::Deleted))
    }
}
