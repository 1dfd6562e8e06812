//! Conditions that listings and searches share.

use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait},
};
use slugline_domain::{StatusFilter, Tag, UnixSeconds};

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

/// Links with this tag.
pub(crate) fn with_tag(tag: &Tag) -> Condition {
    let tagged = tag::Entity::find()
        .select_only()
        .column(tag::Column::LinkId)
        .filter(tag::Column::Tag.eq(tag.as_str()));
    Condition::all().add(link::Column::Id.in_subquery(tagged.into_query()))
}
