//! Finding the links of tags.

use std::collections::BTreeSet;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, Select};
use slugline_domain::{LinkId, Tag};

use crate::{
    entity::tag,
    failure::Failure,
    session::{Columns, Read, Row, Session},
};

/// Finds the identities of the links that have any of these tags.
#[derive(Debug)]
pub(super) struct FindTagged {
    pub(super) tags: BTreeSet<Tag>,
    pub(super) limit: u32,
}

impl Read for FindTagged {
    type Answer = BTreeSet<LinkId>;

    async fn read<S: Session>(&self, session: &S) -> Result<BTreeSet<LinkId>, Failure> {
        let rows: Vec<LinkId> = session.all(&select(&self.tags, self.limit)).await?;
        Ok(rows.into_iter().collect())
    }
}

impl Row for LinkId {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        Ok(Self::parse(&columns.text(0)?)?)
    }
}

/// The select of different identities.
pub(super) fn select(tags: &BTreeSet<Tag>, limit: u32) -> Select<tag::Entity> {
    tag::Entity::find()
        .select_only()
        .distinct()
        .column(tag::Column::LinkId)
        .filter(tag::Column::Tag.is_in(tags.iter().map(Tag::as_str)))
        .limit(u64::from(limit))
}
