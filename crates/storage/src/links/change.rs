//! Changing and deleting a link, and counting its visits.

use sea_orm::{
    ActiveModelTrait, ActiveValue, ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect,
    QueryTrait,
    sea_query::{Expr, ExprTrait},
};
use slugline_domain::{
    AuditNote, FollowedLink, Keeping, Link, LinkId, LinkKey, Revision,
    ports::{self, Taking, Update, Version},
};

use super::{
    conditions::{has_key, has_visits_left},
    find,
    insert::{insert_tags, to_new_row},
};
use crate::{
    audit_lines::write_line,
    entity::{link, tag},
    failure::Failure,
    former_versions::{
        self,
        End::{Deletion, Edit},
        keep_one, prune,
    },
    session::{
        Applied::{self, Commit},
        Session,
    },
    sql_text::SqlText,
};

/// Replaces the version of a link that its author knew.
pub(super) async fn update(
    session: &Session<'_>,
    link: &Link,
    known: &Version,
    note: &AuditNote,
    keeping: Keeping,
) -> Result<Applied<Update>, Failure> {
    let is_new = link.revision != known.revision;
    if is_new && !keep_version(session, keeping, Edit, note, &link.key, known).await? {
        return Ok(Commit(Update::Outdated));
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
        return Ok(Commit(Update::Outdated));
    }
    let of_link = tag::Column::LinkId.eq(link.id.as_str());
    let delete = tag::Entity::delete_many().filter(of_link);
    session.execute(&delete).await?;
    insert_tags(session, link).await?;
    write_line(session, note, &link.key).await?;
    if is_new && known.revision.get() >= keeping.versions.into() {
        prune(session, keeping, &known.id).await?;
    }
    Ok(Commit(Update::Stored))
}

/// Deletes the version of a link that its author knew.
pub(super) async fn delete_version(
    session: &Session<'_>,
    key: &LinkKey,
    known: &Version,
    note: &AuditNote,
    keeping: Keeping,
) -> Result<Applied<ports::Deletion>, Failure> {
    if !keep_version(session, keeping, Deletion, note, key, known).await? {
        return Ok(Commit(ports::Deletion::Outdated));
    }
    let delete = link::Entity::delete_many().filter(of_version(key, known));
    if session.execute(&delete).await? == 0 {
        return Ok(Commit(ports::Deletion::Outdated));
    }
    write_line(session, note, key).await?;
    Ok(Commit(ports::Deletion::Deleted))
}

/// Keeps a version of a link that is about to end. Returns false if the link is another one now.
async fn keep_version(
    session: &Session<'_>,
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
fn of_version(key: &LinkKey, known: &Version) -> Condition {
    Condition::all()
        .add(link::Column::Id.eq(known.id.as_str()))
        .add(link::Column::Revision.eq(known.revision.get()))
        .add(has_key(key))
}

/// Counts a visit of a link, if any is left, and reads the link. The count comes first, because it
/// locks the row.
pub(super) async fn take_visit_now(
    session: &Session<'_>,
    key: &LinkKey,
) -> Result<Applied<(Taking, Option<FollowedLink>)>, Failure> {
    let take = link::Entity::update_many()
        .col_expr(link::Column::VisitsUsed, one_more_visit())
        .filter(has_key(key))
        .filter(has_visits_left());
    let is_taken = session.execute(&take).await? > 0;
    let link = find::followed(session, key).await?;
    let taking = match &link {
        _ if is_taken => Taking::Taken,
        Some(link) if link.counts_visits() => Taking::UsedUp,
        Some(_) | None => Taking::Outdated,
    };
    Ok(Commit((taking, link)))
}

fn one_more_visit() -> Expr {
    Expr::col(link::Column::VisitsUsed).add(1i64)
}

/// Counts a visit of a version of a link, if any is left.
#[derive(Clone, Debug)]
pub(crate) struct TakeVisit {
    pub(crate) id: LinkId,
    pub(crate) version: Revision,
}

impl TakeVisit {
    /// One statement decides and counts, so it needs no transaction around it.
    pub(crate) async fn taking(&self, session: &Session<'_>) -> Result<Taking, Failure> {
        static TAKE: SqlText = SqlText::new();
        let values = [
            1i64.into(),
            self.id.as_str().into(),
            self.version.get().into(),
        ];
        let take = TAKE.with(session.backend(), values, || {
            link::Entity::update_many()
                .col_expr(link::Column::VisitsUsed, one_more_visit())
                .filter(self.of_version())
                .filter(has_visits_left())
                .into_query()
        });
        if session.run(take).await? > 0 {
            return Ok(Taking::Taken);
        }
        self.why_none(session).await
    }

    fn of_version(&self) -> Condition {
        Condition::all()
            .add(link::Column::Id.eq(self.id.as_str()))
            .add(link::Column::Revision.eq(self.version.get()))
    }

    async fn why_none(&self, session: &Session<'_>) -> Result<Taking, Failure> {
        let limited = link::Entity::find()
            .select_only()
            .column(link::Column::Number)
            .filter(self.of_version())
            .filter(link::Column::MaxVisits.is_not_null());
        let found = session.first::<i64>(&limited).await?;
        Ok(found.map_or(Taking::Outdated, |_| Taking::UsedUp))
    }
}
