//! A changed link.

use sea_orm::{ActiveModelTrait, ActiveValue, ColumnTrait, Condition, EntityTrait, QueryFilter};
use slugline_domain::{
    AuditNote, Link, LinkKey,
    ports::{Update, Version},
};

use super::{
    keys::has_key,
    write::{insert_tags, to_new_row},
};
use crate::{
    audit_lines::write_line,
    entity::{link, tag},
    failure::Failure,
    session::{Applied, Change, Session},
};

/// Replaces the version of a link that its author knew.
#[derive(Debug)]
pub(super) struct UpdateLink {
    pub(super) link: Link,
    pub(super) known: Version,
    pub(super) note: AuditNote,
}

impl Change for UpdateLink {
    type Answer = Update;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Update>, Failure> {
        let Self { link, known, note } = self;
        // The condition is part of the statement, so that of two racing
        // writers the second finds nothing to change.
        let update = link::Entity::update_many()
            .set(link::ActiveModel {
                // Visitors may use a visit at any moment.
                visits_used: ActiveValue::NotSet,
                ..to_new_row(link).reset_all()
            })
            .filter(of_version(&link.key, known));
        if session.execute(&update).await? == 0 {
            return Ok(Applied::Keep(Update::Outdated));
        }
        let of_link = tag::Column::LinkId.eq(link.id.as_str());
        let delete = tag::Entity::delete_many().filter(of_link);
        session.execute(&delete).await?;
        insert_tags(session, link).await?;
        write_line(session, note, &link.key).await?;
        Ok(Applied::Keep(Update::Stored))
    }
}

/// The row of a link while it is still this version.
pub(super) fn of_version(key: &LinkKey, known: &Version) -> Condition {
    Condition::all()
        .add(link::Column::Id.eq(known.id.as_str()))
        .add(link::Column::Revision.eq(known.revision.get()))
        .add(link::Column::UpdatedAt.eq(known.updated_at.get()))
        .add(has_key(key))
}
