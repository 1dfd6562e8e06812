//! Finding links by their keys, their identities and their tags.

use std::collections::BTreeSet;

use sea_orm::{
    ColumnTrait, Condition, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select, Value,
};
use slugline_domain::{
    DomainName, FollowedLink, Link, LinkFilter, LinkId, LinkKey, Reach, Tag, TagCount,
};

use super::{
    conditions::{has_any, has_key, identities, in_use},
    search::confined,
};
use crate::{
    entity::{link, tag},
    failure::Failure,
    row::{Columns, Row},
    session::Session,
    sql_text::SqlText,
};

/// Finds the link with a key, in a single statement.
pub(super) async fn one(session: &Session<'_>, key: &LinkKey) -> Result<Option<Link>, Failure> {
    static FIND: SqlText = SqlText::new();
    let find = FIND.with(session.backend(), parts(key), || select(key).into_query());
    let rows = session.rows::<link::Model>(find).await?;
    Ok(rows.into_iter().next().map(link::to_link).transpose()?)
}

pub(super) fn select(key: &LinkKey) -> Select<link::Entity> {
    link::select().filter(has_key(key))
}

/// The values of [`has_key`], in its order.
pub(super) fn parts(key: &LinkKey) -> [Value; 2] {
    [key.domain.as_str().into(), key.slug.as_str().into()]
}

/// Finds what a redirect needs of the link with a key, in a single statement.
pub(crate) async fn followed(
    session: &Session<'_>,
    key: &LinkKey,
) -> Result<Option<FollowedLink>, Failure> {
    static FOLLOW: SqlText = SqlText::new();
    let follow = FOLLOW.with(session.backend(), parts(key), || {
        link::select_followed().filter(has_key(key)).into_query()
    });
    let rows = session.rows::<link::Model>(follow).await?;
    let link = rows.into_iter().next().map(link::to_link).transpose()?;
    Ok(link.map(FollowedLink::from))
}

/// The most keys, and the most identities, in one statement.
const SOME: usize = 5_000;

/// Finds the links that have any of these keys or identities.
pub(super) async fn holders(
    session: &Session<'_>,
    keys: &BTreeSet<LinkKey>,
    ids: &BTreeSet<LinkId>,
) -> Result<Vec<Link>, Failure> {
    let keys: Vec<&LinkKey> = keys.iter().collect();
    let ids: Vec<&str> = ids.iter().map(LinkId::as_str).collect();
    let by_key = keys.chunks(SOME).map(|some| has_any(some.iter().copied()));
    let by_id = ids
        .chunks(SOME)
        .map(|some| Condition::all().add(link::Column::Id.is_in(some.iter().copied())));
    let mut found: Vec<Link> = Vec::new();
    let mut seen = BTreeSet::new();
    // Statements of their own: with an OR, planners may read the whole table.
    for condition in by_key.chain(by_id) {
        let rows = session
            .all::<link::Model>(&link::select().filter(condition))
            .await?;
        for row in rows {
            if seen.insert(row.number) {
                found.push(link::to_link(row)?);
            }
        }
    }
    Ok(found)
}

/// The select of different identities.
pub(super) fn tagged(tags: &BTreeSet<Tag>, limit: u32) -> Select<tag::Entity> {
    tag::Entity::find()
        .select_only()
        .distinct()
        .column(tag::Column::LinkId)
        .filter(tag::Column::Tag.is_in(tags.iter().map(Tag::as_str)))
        .limit(u64::from(limit))
}

impl Row for LinkId {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        Ok(Self::parse(&columns.next::<String>()?)?)
    }
}

/// Counts the links of every tag; in all domains if none is given.
pub(super) async fn tags(
    session: &Session<'_>,
    reach: &Reach,
    domain: Option<&DomainName>,
) -> Result<Vec<TagCount>, Failure> {
    let filter = LinkFilter {
        domain: domain.cloned(),
        reach: reach.clone(),
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
    session.all(&count_tags(reach, domains.as_ref())).await
}

impl Row for TagCount {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        let (tag, links) = <(String, i64)>::read(columns)?;
        Ok(Self {
            tag: Tag::parse(&tag)?,
            links: u64::try_from(links).unwrap_or(0),
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
