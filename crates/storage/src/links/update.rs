//! A changed link.

use sea_orm::{ActiveModelTrait, ActiveValue, ColumnTrait, Condition, EntityTrait, QueryFilter};
use slugline_domain::{
    AuditNote, Keeping, Link, LinkKey,
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
    former_versions::{self, End::Edit, keep_one, prune},
    session::{Applied, Mutation, Session},
    sql_text::SqlText,
};

/// Replaces the version of a link that its author knew.
#[derive(Debug)]
pub(super) struct UpdateLink {
    pub(super) link: Link,
    pub(super) known: Version,
    pub(super) note: AuditNote,
    pub(super) keeping: Keeping,
}

impl Mutation for UpdateLink {
    type Answer = Update;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Update>, Failure> {
        let Self {
            link,
            known,
            note,
            keeping,
        } = self;
        let is_new = link.revision != known.revision;
        if is_new && !keep_version(session, *keeping, Edit, note, &link.key, known).await? {
            return Ok(Applied::Commit(Update::Outdated));
        }
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
            return Ok(Applied::Commit(Update::Outdated));
        }
        let of_link = tag::Column::LinkId.eq(link.id.as_str());
        let delete = tag::Entity::delete_many().filter(of_link);
        session.execute(&delete).await?;
        insert_tags(session, link).await?;
        write_line(session, note, &link.key).await?;
        if is_new && known.revision.get() >= keeping.versions.into() {
            prune(session, *keeping, &known.id).await?;
        }
        Ok(Applied::Commit(Update::Stored))
    }
}

/// Keeps a version of a link that is about to end. Returns false if the link is another one now.
pub(super) async fn keep_version(
    session: &impl Session,
    keeping: Keeping,
    change: former_versions::End,
    note: &AuditNote,
    key: &LinkKey,
    known: &Version,
) -> Result<bool, Failure> {
    static KEEP: SqlText = SqlText::new();
    // In the order of the condition.
    let values = [
        known.id.as_str().into(),
        known.revision.get().into(),
        key.domain.as_str().into(),
        key.slug.as_str().into(),
    ];
    let which = of_version(key, known);
    keep_one(session, keeping, change, note, which, (&KEEP, values)).await
}

/// The row of a link while it is still this version.
pub(super) fn of_version(key: &LinkKey, known: &Version) -> Condition {
    Condition::all()
        .add(link::Column::Id.eq(known.id.as_str()))
        .add(link::Column::Revision.eq(known.revision.get()))
        .add(has_key(key))
}
