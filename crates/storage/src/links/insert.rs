//! Inserting a link.

use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter};
use slugline_domain::{AuditNote, Keeping, Link, LinkStatus, Reach, ports::Insertion};

use super::{find, keys::is_there, write::insert_row};
use crate::{
    audit_lines::write_line,
    entity::link,
    failure::Failure,
    former_versions::{End::Deletion, keep},
    session::{Applied, Session},
};

/// Inserts a link unless its key belongs to an active link or to one that the caller does not
/// reach, or any link has its identifier.
#[derive(Debug)]
pub(crate) struct InsertLink {
    pub(crate) reach: Reach,
    pub(crate) link: Link,
    pub(crate) note: AuditNote,
    pub(crate) keeping: Keeping,
    /// True after an attempt of which nobody knows whether it was committed. Then a link with the
    /// same key and identifier is this one.
    pub(crate) may_be_stored: bool,
}

impl InsertLink {
    /// Leaves the decision to the unique indexes, so that one of two racing
    /// writers wins.
    pub(crate) async fn apply(&self, session: &Session<'_>) -> Result<Applied<Insertion>, Failure> {
        let new = &self.link;
        if !is_there(session, &new.key.domain).await? {
            return Ok(Applied::Commit(Insertion::NoDomain));
        }
        if insert_row(session, new).await? {
            write_line(session, &self.note, &new.key).await?;
            return Ok(Applied::Commit(Insertion::Stored));
        }
        let of_key = find::select(&new.key);
        if let Some(owner) = session.first::<link::Model>(&of_key).await? {
            let number = owner.number;
            let owner = link::to_link(owner)?;
            if self.may_be_stored && owner.id == new.id {
                return Ok(Applied::Commit(Insertion::Stored));
            }
            let expired = owner.status_at(self.note.at.second()) == LinkStatus::Expired;
            if !expired || !self.reach.holds(&owner) {
                return Ok(Applied::Commit(Insertion::SlugTaken));
            }
            let replaced = Condition::all().add(link::Column::Number.eq(number));
            keep(session, self.keeping, Deletion, &self.note, replaced).await?;
            session.execute(&link::Entity::delete_by_id(number)).await?;
        }
        // The key is free, unless another writer was quicker. Without an owner the reason may also
        // be the identifier, or an owner whom somebody deleted since.
        if insert_row(session, new).await? {
            write_line(session, &self.note, &new.key).await?;
            return Ok(Applied::Commit(Insertion::Stored));
        }
        let of_id = link::select().filter(link::Column::Id.eq(new.id.as_str()));
        let owner = session.first::<link::Model>(&of_id).await?;
        Ok(Applied::Rollback(match owner {
            Some(_) => Insertion::IdTaken,
            None => Insertion::SlugTaken,
        }))
    }
}
