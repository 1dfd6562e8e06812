//! Inserting a link, and the rows of a link.

use std::collections::HashSet;

use sea_orm::{
    ActiveValue, ColumnTrait, Condition, EntityTrait, InsertMany, IntoActiveModel, QueryFilter,
    QueryTrait,
    sea_query::{OnConflict, Query},
};
use slugline_domain::{AuditNote, Keeping, Link, LinkStatus, Reach, Tags, ports::Insertion};

use super::{conditions::is_there, find};
use crate::{
    audit_lines::write_line,
    entity::{link, tag, version},
    failure::Failure,
    former_versions::{End::Deletion, keep},
    hexadecimal::hexadecimal,
    session::{
        Applied::{self, Commit, Rollback},
        Session,
    },
    sql_text::{SqlText, values},
};

/// Inserts a link unless its key belongs to an active link or to one that the caller does not
/// reach, or any link has its identifier.
#[derive(Debug)]
pub(crate) struct InsertLink {
    pub(crate) reach: Reach,
    pub(crate) link: Link,
    pub(crate) note: AuditNote,
    pub(crate) keeping: Keeping,
    /// True after an attempt of which the service cannot know whether it was committed. Then a link with the
    /// same key and identifier is this one.
    pub(crate) may_be_stored: bool,
}

impl InsertLink {
    /// Leaves the decision to the unique indexes, so that one of two racing
    /// writers wins.
    pub(crate) async fn apply(&self, session: &Session<'_>) -> Result<Applied<Insertion>, Failure> {
        let new = &self.link;
        if !is_there(session, &new.key.domain).await? {
            return Ok(Commit(Insertion::NoDomain));
        }
        if is_repeated(session, new).await? {
            return Ok(Commit(Insertion::Repeated));
        }
        if insert_row(session, new).await? {
            write_line(session, &self.note, &new.key).await?;
            return Ok(Commit(Insertion::Stored));
        }
        // The same request may have come twice at once.
        if is_repeated(session, new).await? {
            return Ok(Commit(Insertion::Repeated));
        }
        let of_key = find::select(&new.key);
        if let Some(owner) = session.first::<link::Model>(&of_key).await? {
            let number = owner.number;
            let owner = link::to_link(owner)?;
            if self.may_be_stored && owner.id == new.id {
                return Ok(Commit(Insertion::Stored));
            }
            let expired = owner.status_at(self.note.at.second()) == LinkStatus::Expired;
            if !expired || !self.reach.holds(&owner) {
                return Ok(Commit(Insertion::SlugTaken));
            }
            let replaced = Condition::all().add(link::Column::Number.eq(number));
            keep(session, self.keeping, Deletion, &self.note, replaced).await?;
            session.execute(&link::Entity::delete_by_id(number)).await?;
        }
        // The key is free, unless another writer was quicker. Without an owner the reason may also
        // be the identifier, or an owner that was deleted since.
        if insert_row(session, new).await? {
            write_line(session, &self.note, &new.key).await?;
            return Ok(Commit(Insertion::Stored));
        }
        let of_id = link::select().filter(link::Column::Id.eq(new.id.as_str()));
        let owner = session.first::<link::Model>(&of_id).await?;
        Ok(Rollback(match owner {
            Some(_) => Insertion::IdTaken,
            None => Insertion::SlugTaken,
        }))
    }
}

async fn is_repeated(session: &Session<'_>, link: &Link) -> Result<bool, Failure> {
    let Some(request) = &link.request else {
        return Ok(false);
    };
    // Most links have no request, and this would double the future of their insertion.
    let used = Box::pin(used_request_keys(session, [&request.key]));
    Ok(!used.await?.is_empty())
}

/// Those of these digests whose requests made a link that is stored or in the trash.
pub(super) async fn used_request_keys<'k>(
    session: &Session<'_>,
    keys: impl IntoIterator<Item = &'k [u8; 32]>,
) -> Result<HashSet<String>, Failure> {
    let keys: Vec<String> = keys.into_iter().map(hexadecimal).collect();
    let mut used = HashSet::new();
    for some in keys.chunks(KEYS) {
        let stored = Query::select()
            .column(link::Column::RequestKey)
            .from(link::Entity)
            .and_where(link::is_made_by(some))
            .take();
        let deleted = Query::select()
            .column(link::Column::RequestKey)
            .from(version::TABLE)
            .cond_where(version::is_deleted_of(some))
            .take();
        for select in [stored, deleted] {
            let select = session.backend().build(&select);
            used.extend(session.rows::<String>(select).await?);
        }
    }
    Ok(used)
}

/// The most digests of requests in a statement.
pub(crate) const KEYS: usize = 5_000;

/// Inserts a link and its tags, unless its key, its identifier or the key of its request is in use.
/// Returns whether it did.
pub(crate) async fn insert_row(session: &Session<'_>, link: &Link) -> Result<bool, Failure> {
    let inserted = insert_link(session, link).await?;
    if inserted {
        insert_tags(session, link).await?;
    }
    Ok(inserted)
}

/// Inserts a link without its tags, unless its key, its identifier or the key of its request is in
/// use. Returns whether it did.
pub(super) async fn insert_link(session: &Session<'_>, link: &Link) -> Result<bool, Failure> {
    static INSERT: SqlText = SqlText::new();
    let row = values(to_new_row(link));
    let insert = INSERT.with(session.backend(), row, || {
        insert([to_new_row(link)]).into_query()
    });
    Ok(session.run(insert).await? > 0)
}

/// The insert of links, which leaves out those that share with another one what is unique.
pub(crate) fn insert(
    rows: impl IntoIterator<Item = link::ActiveModel>,
) -> InsertMany<link::ActiveModel> {
    link::Entity::insert_many(rows).on_conflict(OnConflict::new().do_nothing().to_owned())
}

/// Inserts the tags of a link, if it has any.
pub(super) async fn insert_tags(session: &Session<'_>, link: &Link) -> Result<(), Failure> {
    /// By number of tags.
    static INSERT: [SqlText; Tags::MAX + 1] = [const { SqlText::new() }; Tags::MAX + 1];
    let rows = tag::of(link);
    if rows.is_empty() {
        return Ok(());
    }
    let tags = rows.into_iter().map(IntoActiveModel::into_active_model);
    let insert = INSERT[link.content.tags.iter().count()].with(
        session.backend(),
        tags.clone().flat_map(values),
        || tag::Entity::insert_many(tags).into_query(),
    );
    session.run(insert).await?;
    Ok(())
}

/// The row of a link that the database has yet to number.
pub(crate) fn to_new_row(link: &Link) -> link::ActiveModel {
    link::ActiveModel {
        number: ActiveValue::NotSet,
        ..link::to_row(link).into_active_model()
    }
}
