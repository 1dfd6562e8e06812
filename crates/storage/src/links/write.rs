//! Writing the rows of a link.

use sea_orm::{ActiveValue, EntityTrait, IntoActiveModel, sea_query::OnConflict};
use slugline_domain::Link;

use crate::{
    entity::{link, tag},
    failure::Failure,
    session::Session,
};

/// Inserts a link and its tags, unless its slug or its identifier is in use.
/// Returns whether it did.
pub(crate) async fn insert_row(session: &impl Session, link: &Link) -> Result<bool, Failure> {
    let insert = link::Entity::insert(to_new_row(link))
        .on_conflict(OnConflict::new().do_nothing().to_owned());
    if session.execute(&insert).await? == 0 {
        return Ok(false);
    }
    insert_tags(session, tag::of(link)).await?;
    Ok(true)
}

/// Inserts tags, if there are any.
pub(super) async fn insert_tags(
    session: &impl Session,
    tags: Vec<tag::Model>,
) -> Result<(), Failure> {
    if !tags.is_empty() {
        let rows = tags.into_iter().map(IntoActiveModel::into_active_model);
        session.execute(&tag::Entity::insert_many(rows)).await?;
    }
    Ok(())
}

/// The row of a link that the database has yet to number.
pub(super) fn to_new_row(link: &Link) -> link::ActiveModel {
    link::ActiveModel {
        number: ActiveValue::NotSet,
        ..link::to_row(link).into_active_model()
    }
}
