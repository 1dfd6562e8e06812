//! Finding links without a password.

use std::collections::BTreeSet;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, Select};
use slugline_domain::LinkId;

use crate::{
    entity::link,
    failure::Failure,
    session::{Read, Session},
};

/// Links that one statement names.
const LINKS_AT_A_TIME: usize = 1_000;

/// Finds those of some links that are there and have no password.
#[derive(Debug)]
pub(super) struct FindUnprotected {
    pub(super) links: BTreeSet<LinkId>,
}

impl Read for FindUnprotected {
    type Answer = BTreeSet<LinkId>;

    async fn read<S: Session>(&self, session: &S) -> Result<BTreeSet<LinkId>, Failure> {
        let links: Vec<&str> = self.links.iter().map(LinkId::as_str).collect();
        let mut found = BTreeSet::new();
        for links in links.chunks(LINKS_AT_A_TIME) {
            let some: Vec<LinkId> = session.all(&select(links)).await?;
            found.extend(some);
        }
        Ok(found)
    }
}

/// The select of their identities.
pub(super) fn select(links: &[&str]) -> Select<link::Entity> {
    link::Entity::find()
        .select_only()
        .column(link::Column::Id)
        .filter(link::Column::Id.is_in(links.iter().copied()))
        .filter(link::Column::PasswordHash.is_null())
}
