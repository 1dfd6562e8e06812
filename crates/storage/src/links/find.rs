//! Finding one link.

use sea_orm::{ColumnTrait, QueryFilter, Select};
use slugline_domain::{FollowedLink, Link, Slug};

use crate::{
    entity::{
        followed::{self, Followed},
        link,
    },
    failure::Failure,
    session::{Read, Session},
    sql_text::SqlText,
};

/// Finds the link with a slug, in a single statement.
#[derive(Debug)]
pub(super) struct FindLink {
    pub(super) slug: Slug,
}

impl Read for FindLink {
    type Answer = Option<Link>;

    async fn read<S: Session>(&self, session: &S) -> Result<Option<Link>, Failure> {
        static FIND: SqlText = SqlText::new();
        let slug = self.slug.as_str();
        let find = FIND.with(session.backend(), [slug.into()], || select(slug));
        let rows = session.rows::<link::Model>(find).await?;
        let row = rows.into_iter().next();
        Ok(row.map(link::to_link).transpose()?)
    }
}

pub(super) fn select(slug: &str) -> Select<link::Entity> {
    link::select().filter(link::Column::Slug.eq(slug))
}

/// Finds what a redirect needs of the link with a slug, in a single statement.
#[derive(Debug)]
pub(crate) struct FollowLink {
    pub(crate) slug: Slug,
}

impl Read for FollowLink {
    type Answer = Option<FollowedLink>;

    async fn read<S: Session>(&self, session: &S) -> Result<Option<FollowedLink>, Failure> {
        static FOLLOW: SqlText = SqlText::new();
        let slug = self.slug.as_str();
        let follow = FOLLOW.with(session.backend(), [slug.into()], || {
            followed::select().filter(link::Column::Slug.eq(slug))
        });
        let rows = session.rows::<Followed>(follow).await?;
        let row = rows.into_iter().next();
        Ok(row.map(followed::to_followed).transpose()?)
    }
}
