//! Counting the links of each tag.

use std::collections::BTreeSet;

use sea_orm::{
    ColumnTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
};
use slugline_domain::{DomainName, LinkFilter, Reach, Tag, TagCount};

use super::{conditions::identities, keys::in_use, search::confined};
use crate::{
    entity::{link, tag},
    failure::Failure,
    session::{Columns, Read, Row, Session},
};

/// Counts the links of every tag.
#[derive(Debug)]
pub(super) struct CountTags {
    pub(super) reach: Reach,
    /// `None` for links of all domains.
    pub(super) domain: Option<DomainName>,
}

impl Read for CountTags {
    type Answer = Vec<TagCount>;

    async fn read<S: Session>(&self, session: &S) -> Result<Vec<TagCount>, Failure> {
        let filter = LinkFilter {
            domain: self.domain.clone(),
            reach: self.reach.clone(),
            ..LinkFilter::default()
        };
        let mut domains = confined(&filter);
        if let Some(counted) = &domains
            && in_use(session)
                .await?
                .iter()
                .all(|used| counted.contains(used))
        {
            // Most instances have one domain. Their tags are counted without their links.
            domains = None;
        }
        session
            .all(&count_tags(&self.reach, domains.as_ref()))
            .await
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

/// The select of every tag with its number of links in these domains.
pub(super) fn count_tags(
    reach: &Reach,
    domains: Option<&BTreeSet<DomainName>>,
) -> Select<tag::Entity> {
    let mut tags = tag::Entity::find();
    if let Some(binding) = reach.binding()
        && !binding.is_of_whole_domains()
    {
        tags = tags.filter(tag::Column::LinkId.in_subquery(identities(binding)));
    }
    if let Some(domains) = domains {
        let links = link::Entity::find()
            .select_only()
            .column(link::Column::Id)
            .filter(link::Column::Domain.is_in(domains.iter().map(DomainName::as_str)));
        tags = tags.filter(tag::Column::LinkId.in_subquery(links.into_query()));
    }
    tags.select_only()
        .column(tag::Column::Tag)
        .column_as(tag::Column::LinkId.count(), "links")
        .group_by(tag::Column::Tag)
        .order_by(tag::Column::Tag, Order::Asc)
}
