//! Listing links page by page.
//!
//! Indexes hold the links of each domain in order. A page of several domains is merged from a
//! statement for each, unless a condition of the filter leaves few links to sort.

use std::cmp::Ordering;

use sea_orm::{
    ColumnTrait, Condition, Order, QueryFilter, QueryOrder, QuerySelect, Select,
    sea_query::{Expr, ExprTrait, SimpleExpr},
};
use slugline_domain::{DomainName, Link, LinkKey, LinkOrder, ListQuery, Position};

use super::{
    conditions::{in_use, is_among, is_of},
    search::{Matching, confined, page},
};
use crate::{entity::link, failure::Failure, session::Session};

/// Lists links in order.
pub(super) async fn list(session: &Session<'_>, query: &ListQuery) -> Result<Vec<Link>, Failure> {
    match page_of(session, query).await? {
        Page::One(select) => links(session, select).await,
        Page::Merged(select, domains) => merged(session, query, &select, domains).await,
    }
}

/// The statements of a page.
pub(super) enum Page {
    One(Select<link::Entity>),
    /// The select without a domain, and the domains in the order of their names.
    Merged(Select<link::Entity>, Vec<DomainName>),
}

/// The statements of a page.
pub(super) async fn page_of(session: &Session<'_>, query: &ListQuery) -> Result<Page, Failure> {
    let Matching { select, is_narrow } = page(session, &query.filter, query.now).await?;
    let select = select.limit(u64::from(query.limit));
    let domains = match confined(&query.filter) {
        Some(domains) if is_narrow => {
            let select = select.filter(is_among(session.backend(), &domains));
            return Ok(Page::One(in_all(query, select)));
        }
        None if is_narrow || is_by_key(query.order) => {
            return Ok(Page::One(in_all(query, select)));
        }
        Some(domains) => domains.into_iter().collect(),
        None => in_use(session).await?,
    };
    Ok(match domains.as_slice() {
        [one] => Page::One(in_domain(session, query, select, one)),
        _ => Page::Merged(select, domains),
    })
}

fn is_by_key(order: LinkOrder) -> bool {
    matches!(order, LinkOrder::SlugAscending | LinkOrder::SlugDescending)
}

/// Reads the links of a select.
async fn links(session: &Session<'_>, select: Select<link::Entity>) -> Result<Vec<Link>, Failure> {
    let rows = session.all::<link::Model>(&select).await?;
    let links = rows.into_iter().map(link::to_link);
    Ok(links.collect::<Result<_, _>>()?)
}

/// Reads the page of one domain after the other. What comes after a full page is left out.
async fn merged(
    session: &Session<'_>,
    query: &ListQuery,
    select: &Select<link::Entity>,
    mut domains: Vec<DomainName>,
) -> Result<Vec<Link>, Failure> {
    if query.order == LinkOrder::SlugDescending {
        domains.reverse();
    }
    let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
    let mut found: Vec<Link> = Vec::new();
    for domain in &domains {
        let mut select = in_domain(session, query, select.clone(), domain);
        if let Some(last) = limit.checked_sub(1).and_then(|last| found.get(last)) {
            let (created, second) = (link::Column::CreatedAt, last.created_at.get());
            select = match query.order {
                LinkOrder::Newest => select.filter(created.gte(second)),
                LinkOrder::Oldest => select.filter(created.lte(second)),
                LinkOrder::SlugAscending | LinkOrder::SlugDescending => break,
            };
        }
        found.extend(links(session, select).await?);
        found = query.page(&found);
    }
    Ok(found)
}

/// The part of a page that belongs to a domain.
fn in_domain(
    session: &Session<'_>,
    query: &ListQuery,
    select: Select<link::Entity>,
    domain: &DomainName,
) -> Select<link::Entity> {
    let mut select = select.filter(is_of(session.backend(), domain));
    if let Some(position) = &query.after {
        let (second, LinkKey { domain: last, slug }) = (position.created_at, &position.key);
        select = select.filter(match domain.cmp(last) {
            Ordering::Equal => after(
                query.order,
                second.get(),
                link::Column::Slug.gt(slug.as_str()),
                link::Column::Slug.lt(slug.as_str()),
            ),
            // Every key of the domain is larger than the last one, or smaller.
            side @ (Ordering::Less | Ordering::Greater) => {
                let (larger, smaller) = (side.is_gt(), side.is_lt());
                after(query.order, second.get(), always(larger), always(smaller))
            }
        });
    }
    by(query.order, select, &[link::Column::Slug])
}

/// A page of all domains.
fn in_all(query: &ListQuery, mut select: Select<link::Entity>) -> Select<link::Entity> {
    let key = [link::Column::Domain, link::Column::Slug];
    if let Some(Position {
        created_at,
        key: last,
    }) = &query.after
    {
        let columns = || Expr::tuple(key.map(Expr::col));
        let last = || {
            Expr::tuple([
                Expr::val(last.domain.as_str()),
                Expr::val(last.slug.as_str()),
            ])
        };
        select = select.filter(after(
            query.order,
            created_at.get(),
            columns().gt(last()),
            columns().lt(last()),
        ));
    }
    by(query.order, select, &key)
}

fn always(holds: bool) -> SimpleExpr {
    Expr::val(i32::from(holds)).eq(1)
}

fn by(
    order: LinkOrder,
    select: Select<link::Entity>,
    key: &[link::Column],
) -> Select<link::Entity> {
    let (select, direction) = match order {
        LinkOrder::Newest => (select.order_by_desc(link::Column::CreatedAt), Order::Desc),
        LinkOrder::Oldest => (select.order_by_asc(link::Column::CreatedAt), Order::Asc),
        LinkOrder::SlugAscending => (select, Order::Asc),
        LinkOrder::SlugDescending => (select, Order::Desc),
    };
    key.iter().fold(select, |select, column| {
        select.order_by(*column, direction.clone())
    })
}

/// The links after a position, of which `second` is the creation; `larger` and `smaller` compare
/// keys with it. The first condition on `created_at` repeats what the second one implies, because
/// only the first tells the planner where to start in the index.
fn after(order: LinkOrder, second: i64, larger: SimpleExpr, smaller: SimpleExpr) -> Condition {
    let created = link::Column::CreatedAt;
    match order {
        LinkOrder::Newest => Condition::all()
            .add(created.lte(second))
            .add(Condition::any().add(created.lt(second)).add(smaller)),
        LinkOrder::Oldest => Condition::all()
            .add(created.gte(second))
            .add(Condition::any().add(created.gt(second)).add(larger)),
        LinkOrder::SlugAscending => Condition::all().add(larger),
        LinkOrder::SlugDescending => Condition::all().add(smaller),
    }
}
