//! Conditions that listings and searches share.

use sea_orm::{
    ColumnTrait, Condition, DbBackend, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, SelectStatement, UnionType},
};
use slugline_domain::{Binding, LinkId, StatusFilter, Tag, UnixSeconds};

use crate::entity::{link, tag};

/// Links of this status at this moment.
pub(crate) fn with_status(status: StatusFilter, now: UnixSeconds) -> Condition {
    let now = now.get();
    let not_before = |end: link::Column| Condition::any().add(end.is_null()).add(end.gt(now));
    let (author, instance) = (link::Column::ExpiresAt, link::Column::EndsAt);
    match status {
        StatusFilter::All => Condition::all(),
        StatusFilter::Active => Condition::all()
            .add(not_before(author))
            .add(not_before(instance)),
        StatusFilter::Expired => Condition::any().add(author.lte(now)).add(instance.lte(now)),
    }
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
