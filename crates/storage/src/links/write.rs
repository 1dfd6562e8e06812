//! Writing the rows of a link.

use sea_orm::{ActiveValue, EntityTrait, InsertMany, IntoActiveModel, sea_query::OnConflict};
use slugline_domain::{Link, Tags};

use crate::{
    entity::{link, tag},
    failure::Failure,
    session::Session,
    sql_text::{SqlText, values},
};

/// Inserts a link and its tags, unless its key or its identifier is in use.
/// Returns whether it did.
pub(crate) async fn insert_row(session: &Session<'_>, link: &Link) -> Result<bool, Failure> {
    let inserted = insert_link(session, link).await?;
    if inserted {
        insert_tags(session, link).await?;
    }
    Ok(inserted)
}

/// Inserts a link without its tags, unless its key or its identifier is in use. Returns whether
/// it did.
pub(super) async fn insert_link(session: &Session<'_>, link: &Link) -> Result<bool, Failure> {
    static INSERT: SqlText = SqlText::new();
    let row = values(to_new_row(link));
    let insert = INSERT.with(session.backend(), row, || insert([to_new_row(link)]));
    Ok(session.run(insert).await? > 0)
}

/// The insert of links, which leaves out those whose key or identifier is in use.
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
        || tag::Entity::insert_many(tags),
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
