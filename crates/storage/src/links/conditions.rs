//! Conditions that listings and searches share.

use sea_orm::{
    ColumnTrait, Condition, DbBackend, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, SelectStatement, UnionType},
};
use slugline_domain::{Binding, Failing, LinkId, LinkStatus, StatusFilter, Tag, UnixSeconds};

use crate::entity::{link, tag, watch};

/// Links of this status at this moment.
pub(crate) fn with_status(status: StatusFilter, now: UnixSeconds) -> Condition {
    match status {
        StatusFilter::Broken => shown().add(not_over(now)).add(is_broken()),
        StatusFilter::All => Condition::all(),
        StatusFilter::Current => Condition::any()
            .add(link::Column::Disabled.eq(true))
            .add(not_over(now)),
        StatusFilter::Only(LinkStatus::Disabled) => {
            Condition::all().add(link::Column::Disabled.eq(true))
        }
        StatusFilter::Only(LinkStatus::Expired) => shown().add(
            Condition::any()
                .add(link::Column::ExpiresAt.lte(now.get()))
                .add(link::Column::EndsAt.lte(now.get())),
        ),
        StatusFilter::Only(LinkStatus::UsedUp) => shown()
            .add(not_expired(now))
            .add(link::Column::MaxVisits.is_not_null())
            .add(has_visits_left().not()),
        StatusFilter::Only(LinkStatus::Scheduled) => shown()
            .add(not_over(now))
            .add(link::Column::StartsAt.gt(now.get())),
        StatusFilter::Only(LinkStatus::Active) => shown().add(not_over(now)).add(
            Condition::any()
                .add(link::Column::StartsAt.is_null())
                .add(link::Column::StartsAt.lte(now.get())),
        ),
    }
}

/// Links that count visits and have some left.
pub(super) fn has_visits_left() -> Condition {
    let [used, most] = [link::Column::VisitsUsed, link::Column::MaxVisits]
        .map(|column| Expr::col((link::Entity, column)));
    Condition::all().add(used.lt(most))
}

/// Links whose present destination failed so often in a row that it is said to be broken.
fn is_broken() -> Condition {
    let of_link = [
        (watch::Column::LinkId, link::Column::Id),
        (watch::Column::Destination, link::Column::Destination),
    ];
    let of_link = of_link
        .map(|(watched, own)| Expr::col((watch::Entity, watched)).equals((link::Entity, own)));
    let broken = watch::Entity::find()
        .select_only()
        .column(watch::Column::LinkId)
        .filter(watch::Column::Times.gte(Failing::BROKEN_AFTER));
    let broken = of_link.into_iter().fold(broken, QueryFilter::filter);
    Condition::all().add(Expr::exists(broken.into_query()))
}

/// Links that are not disabled.
fn shown() -> Condition {
    Condition::all().add(link::Column::Disabled.eq(false))
}

fn not_over(now: UnixSeconds) -> Condition {
    not_expired(now).add(
        Condition::any()
            .add(link::Column::MaxVisits.is_null())
            .add(has_visits_left()),
    )
}

fn not_expired(now: UnixSeconds) -> Condition {
    let not_before = |end: link::Column| Condition::any().add(end.is_null()).add(end.gt(now.get()));
    Condition::all()
        .add(not_before(link::Column::ExpiresAt))
        .add(not_before(link::Column::EndsAt))
}

/// Links with this tag, checked one by one: for the few links that another condition finds.
pub(crate) fn has_tag(tag: &Tag) -> Condition {
    let of_link =
        Expr::col((tag::Entity, tag::Column::LinkId)).equals((link::Entity, link::Column::Id));
    let tagged = tag::Entity::find()
        .select_only()
        .column(tag::Column::LinkId)
        .filter(tag::Column::Tag.eq(tag.as_str()))
        .filter(of_link);
    Condition::all().add(Expr::exists(tagged.into_query()))
}

/// Links with this tag, in the order that the planner prefers.
pub(crate) fn with_tag(tag: &Tag) -> Condition {
    let tagged = tag::Entity::find()
        .select_only()
        .column(tag::Column::LinkId)
        .filter(tag::Column::Tag.eq(tag.as_str()));
    Condition::all().add(link::Column::Id.in_subquery(tagged.into_query()))
}

/// Links with this tag, found by it: for the links of a page if few have the tag.
pub(crate) fn found_by_tag(backend: DbBackend, tag: &Tag) -> Condition {
    if backend == DbBackend::Sqlite {
        return with_tag(tag);
    }
    // PostgreSQL does not know how many links have a rare tag, and may read all links in the
    // order of the page instead. It cannot do that with an array.
    Condition::all().add(Expr::cust_with_values(
        "short_links.id = ANY (ARRAY(SELECT link_id FROM link_tags WHERE tag = $1))",
        [tag.as_str()],
    ))
}

/// Links of a binding, whatever their domain: the identities in one subquery, so that the planner
/// can begin with the few that there are.
pub(crate) fn bound_to(binding: &Binding) -> Condition {
    let named = link::Column::Id.in_subquery(identities(binding));
    Condition::all().add_option((!binding.is_of_whole_domains()).then_some(named))
}

/// Links of a binding, whatever their domain, checked one by one: for the few links that another
/// condition finds.
pub(crate) fn is_bound_to(binding: &Binding) -> Condition {
    if binding.is_of_whole_domains() {
        return Condition::all();
    }
    let of_link =
        Expr::col((tag::Entity, tag::Column::LinkId)).equals((link::Entity, link::Column::Id));
    let tagged = tagged(binding).filter(of_link);
    Condition::any()
        .add(link::Column::Id.is_in(binding.links().iter().map(LinkId::as_str)))
        .add(Expr::exists(tagged.into_query()))
}

/// The identities of the links of a binding, whatever their domain; those of deleted links are no
/// rows.
pub(super) fn identities(binding: &Binding) -> SelectStatement {
    let named = link::Entity::find()
        .select_only()
        .column(link::Column::Id)
        .filter(link::Column::Id.is_in(binding.links().iter().map(LinkId::as_str)));
    let mut all = tagged(binding).into_query();
    all.union(UnionType::Distinct, named.into_query()).take()
}

fn tagged(binding: &Binding) -> Select<tag::Entity> {
    tag::Entity::find()
        .select_only()
        .column(tag::Column::LinkId)
        .filter(tag::Column::Tag.is_in(binding.tags().iter().map(Tag::as_str)))
}
