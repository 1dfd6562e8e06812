//! Finding one link.

use sea_orm::{QueryFilter, Select, Value};
use slugline_domain::{FollowedLink, Link, LinkKey};

use super::keys::has_key;
use crate::{
    entity::link,
    failure::Failure,
    session::{Read, Session},
    sql_text::SqlText,
};

/// Finds the link with a key, in a single statement.
#[derive(Debug)]
pub(super) struct FindLink {
    pub(super) key: LinkKey,
}

impl Read for FindLink {
    type Answer = Option<Link>;

    async fn read<S: Session>(&self, session: &S) -> Result<Option<Link>, Failure> {
        static FIND: SqlText = SqlText::new();
        let find = FIND.with(session.backend(), parts(&self.key), || select(&self.key));
        let rows = session.rows::<link::Model>(find).await?;
        let row = rows.into_iter().next();
        Ok(row.map(link::to_link).transpose()?)
    }
}

pub(super) fn select(key: &LinkKey) -> Select<link::Entity> {
    link::select().filter(has_key(key))
}

/// The values of [`has_key`], in its order.
pub(super) fn parts(key: &LinkKey) -> [Value; 2] {
    [key.domain.as_str().into(), key.slug.as_str().into()]
}

/// Finds what a redirect needs of the link with a key, in a single statement.
#[derive(Debug)]
pub(crate) struct FollowLink {
    pub(crate) key: LinkKey,
}

impl Read for FollowLink {
    type Answer = Option<FollowedLink>;

    async fn read<S: Session>(&self, session: &S) -> Result<Option<FollowedLink>, Failure> {
        static FOLLOW: SqlText = SqlText::new();
        let follow = FOLLOW.with(session.backend(), parts(&self.key), || {
            link::select_followed().filter(has_key(&self.key))
        });
        let rows = session.rows::<link::Model>(follow).await?;
        let row = rows.into_iter().next();
        Ok(row.map(link::to_link).transpose()?.map(FollowedLink::from))
    }
}
