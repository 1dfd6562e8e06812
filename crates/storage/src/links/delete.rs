//! Deleting a link.

use sea_orm::{EntityTrait, QueryFilter};
use slugline_domain::{
    AuditNote, Link, LinkKey,
    ports::{Deletion, Version},
};

use super::{find::FindLink, keys::has_key, update::of_version};
use crate::{
    audit_lines::write_line,
    entity::link,
    failure::Failure,
    session::{Applied, Change, Read, Session},
};

/// Deletes the link with a key, and returns it as it was.
#[derive(Debug)]
pub(super) struct DeleteLink {
    pub(super) key: LinkKey,
    pub(super) note: AuditNote,
}

impl Change for DeleteLink {
    type Answer = Option<Link>;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Option<Link>>, Failure> {
        let key = self.key.clone();
        let link = FindLink { key }.read(session).await?;
        // The foreign key deletes the tags with their link.
        let delete = link::Entity::delete_many().filter(has_key(&self.key));
        if session.execute(&delete).await? > 0 {
            write_line(session, &self.note, &self.key).await?;
        }
        Ok(Applied::Keep(link))
    }
}

/// Deletes the version of a link that its author knew.
#[derive(Debug)]
pub(super) struct DeleteVersion {
    pub(super) key: LinkKey,
    pub(super) known: Version,
    pub(super) note: AuditNote,
}

impl Change for DeleteVersion {
    type Answer = Deletion;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Deletion>, Failure> {
        let delete = link::Entity::delete_many().filter(of_version(&self.key, &self.known));
        if session.execute(&delete).await? == 0 {
            return Ok(Applied::Keep(Deletion::Outdated));
        }
        write_line(session, &self.note, &self.key).await?;
        Ok(Applied::Keep(Deletion::Deleted))
    }
}
