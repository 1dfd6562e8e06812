//! Counting the links of each tag.

use sea_orm::{ColumnTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, Select};
use slugline_domain::{Reach, Tag, TagCount};

use super::conditions::identities;

use crate::{
    entity::tag,
    failure::Failure,
    session::{Columns, Read, Row, Session},
};

/// Counts the links of every tag.
#[derive(Debug)]
pub(super) struct CountTags(pub(super) Reach);

impl Read for CountTags {
    type Answer = Vec<TagCount>;

    async fn read<S: Session>(&self, session: &S) -> Result<Vec<TagCount>, Failure> {
        session.all(&count_tags(&self.0)).await
    }
}

impl Row for TagCount {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        Ok(Self {
            tag: Tag::parse(&columns.text(0)?)?,
            links: u64::try_from(columns.number(1)?).unwrap_or(0),
        })
    }
}

/// The select of every tag with its number of links.
pub(super) fn count_tags(reach: &Reach) -> Select<tag::Entity> {
    let mut tags = tag::Entity::find();
    if let Some(binding) = reach.binding() {
        tags = tags.filter(tag::Column::LinkId.in_subquery(identities(binding)));
    }
    tags.select_only()
        .column(tag::Column::Tag)
        .column_as(tag::Column::LinkId.count(), "links")
        .group_by(tag::Column::Tag)
        .order_by(tag::Column::Tag, Order::Asc)
}
