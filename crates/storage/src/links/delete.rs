//! Deleting a link.

use sea_orm::{EntityTrait, QueryFilter};
use slugline_domain::{
    AuditNote, Keeping, Link, LinkKey,
    ports::{self, Version},
};

use super::{
    find::{FindLink, parts},
    keys::has_key,
    update::{keep_version, of_version},
};
use crate::{
    audit_lines::write_line,
    entity::link,
    failure::Failure,
    former_versions::{End::Deletion, keep_one},
    session::{Applied, Mutation, Read, Session},
    sql_text::SqlText,
};

/// Deletes the link with a key, and returns it as it was.
#[derive(Debug)]
pub(super) struct DeleteLink {
    pub(super) key: LinkKey,
    pub(super) note: AuditNote,
    pub(super) keeping: Keeping,
}

impl Mutation for DeleteLink {
    type Answer = Option<Link>;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Option<Link>>, Failure> {
        static KEEP: SqlText = SqlText::new();
        let Self { key, note, keeping } = self;
        let by_key = (&KEEP, parts(key));
        if !keep_one(session, *keeping, Deletion, note, has_key(key), by_key).await? {
            return Ok(Applied::Commit(None));
        }
        let key = key.clone();
        let link = FindLink { key }.read(session).await?;
        // The foreign key deletes the tags with their link.
        let delete = link::Entity::delete_many().filter(has_key(&self.key));
        if session.execute(&delete).await? > 0 {
            write_line(session, &self.note, &self.key).await?;
        }
        Ok(Applied::Commit(link))
    }
}

/// Deletes the version of a link that its author knew.
#[derive(Debug)]
pub(super) struct DeleteVersion {
    pub(super) key: LinkKey,
    pub(super) known: Version,
    pub(super) note: AuditNote,
    pub(super) keeping: Keeping,
}

impl Mutation for DeleteVersion {
    type Answer = ports::Deletion;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<ports::Deletion>, Failure> {
        let Self {
            key,
            known,
            note,
            keeping,
        } = self;
        if !keep_version(session, *keeping, Deletion, note, key, known).await? {
            return Ok(Applied::Commit(ports::Deletion::Outdated));
        }
        let delete = link::Entity::delete_many().filter(of_version(key, known));
        if session.execute(&delete).await? == 0 {
            return Ok(Applied::Commit(ports::Deletion::Outdated));
        }
        write_line(session, note, key).await?;
        Ok(Applied::Commit(ports::Deletion::Deleted))
    }
}
