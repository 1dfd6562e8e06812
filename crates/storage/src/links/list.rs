//! Listing links page by page.

use sea_orm::{ColumnTrait, Condition, Order, QueryFilter, QueryOrder, QuerySelect, Select};
use slugline_domain::{Link, LinkOrder, ListQuery, Position};

use super::search::{links, page};
use crate::{
    entity::link,
    failure::Failure,
    session::{Read, Session},
};

/// Lists links in order.
#[derive(Debug)]
pub(super) struct ListLinks(pub(super) ListQuery);

impl Read for ListLinks {
    type Answer = Vec<Link>;

    async fn read<S: Session>(&self, session: &S) -> Result<Vec<Link>, Failure> {
        let select = select_page(session, &self.0).await?;
        links(session, select).await
    }
}

/// The select of a page.
pub(super) async fn select_page(
    session: &impl Session,
    query: &ListQuery,
) -> Result<Select<link::Entity>, Failure> {
    let page = page(session, &query.filter, query.now).await?;
    let mut select = page.limit(u64::from(query.limit));
    if let Some(position) = &query.after {
        select = select.filter(after(query.order, position));
    }
    let (created, slug) = (link::Column::CreatedAt, link::Column::Slug);
    Ok(match query.order {
        LinkOrder::Newest => select
            .order_by(created, Order::Desc)
            .order_by(slug, Order::Asc),
        LinkOrder::Oldest => select
            .order_by(created, Order::Asc)
            .order_by(slug, Order::Asc),
        LinkOrder::SlugAscending => select.order_by(slug, Order::Asc),
        LinkOrder::SlugDescending => select.order_by(slug, Order::Desc),
    })
}

/// The links after a position. The first condition on `created_at` repeats what
/// the second one implies, because only the first tells the planner where to
/// start in the index.
fn after(order: LinkOrder, position: &Position) -> Condition {
    let (created, slug) = (link::Column::CreatedAt, link::Column::Slug);
    let (second, text) = (position.created_at.get(), position.slug.as_str());
    match order {
        LinkOrder::Newest => Condition::all()
            .add(created.lte(second))
            .add(Condition::any().add(created.lt(second)).add(slug.gt(text))),
        LinkOrder::Oldest => Condition::all()
            .add(created.gte(second))
            .add(Condition::any().add(created.gt(second)).add(slug.gt(text))),
        LinkOrder::SlugAscending => Condition::all().add(slug.gt(text)),
        LinkOrder::SlugDescending => Condition::all().add(slug.lt(text)),
    }
}
