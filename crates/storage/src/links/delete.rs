//! A link that goes.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use slugline_domain::{LinkId, Slug};

use crate::{
    entity::link,
    failure::Failure,
    session::{Applied, Change, Session},
};

/// Deletes the link with a slug, and says which one it was.
#[derive(Debug)]
pub(super) struct DeleteLink {
    pub(super) slug: Slug,
}

impl Change for DeleteLink {
    type Answer = Option<LinkId>;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Option<LinkId>>, Failure> {
        let of_slug = link::Column::Slug.eq(self.slug.as_str());
        let find = link::Entity::find()
            .select_only()
            .column(link::Column::Id)
            .filter(of_slug.clone());
        let id = session.first::<String>(&find).await?;
        // Tags go with their link by the foreign key.
        let delete = link::Entity::delete_many().filter(of_slug);
        session.execute(&delete).await?;
        Ok(Applied::Keep(id.map(|id| LinkId::parse(&id)).transpose()?))
    }
}
