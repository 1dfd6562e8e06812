//! A new link.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use slugline_domain::{Link, LinkStatus, UnixSeconds, ports::Insertion};

use super::{convert::to_link, write::insert_row};
use crate::{
    entity::link,
    failure::Failure,
    session::{Applied, Change, Session},
};

/// Inserts a link unless an active one owns its slug, or any its identity.
#[derive(Debug)]
pub(super) struct InsertLink {
    pub(super) link: Link,
    pub(super) now: UnixSeconds,
}

impl Change for InsertLink {
    type Answer = Insertion;

    /// Lets the unique indexes decide, so that of two racing writers one wins.
    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Insertion>, Failure> {
        let new = &self.link;
        if insert_row(session, new).await? {
            return Ok(Applied::Keep(Insertion::Stored));
        }
        let of_slug = link::select().filter(link::Column::Slug.eq(new.slug.as_str()));
        let Some(owner) = session.first::<link::Model>(&of_slug).await? else {
            return Ok(Applied::Keep(Insertion::IdTaken));
        };
        let number = owner.number;
        if to_link(owner, &[])?.status_at(self.now) == LinkStatus::Active {
            return Ok(Applied::Keep(Insertion::SlugTaken));
        }
        session.execute(&link::Entity::delete_by_id(number)).await?;
        // Beaten by another writer who found the slug just as free, or by a link
        // that has the identifier.
        if insert_row(session, new).await? {
            return Ok(Applied::Keep(Insertion::Stored));
        }
        let of_id = link::select().filter(link::Column::Id.eq(new.id.as_str()));
        let owner = session.first::<link::Model>(&of_id).await?;
        Ok(Applied::Undo(match owner {
            Some(_) => Insertion::IdTaken,
            None => Insertion::SlugTaken,
        }))
    }
}
