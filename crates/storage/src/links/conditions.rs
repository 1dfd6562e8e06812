//! Conditions that listings and searches share.

use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::SimpleExpr,
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

/// Links with this tag.
pub(crate) fn with_tag(tag: &Tag) -> SimpleExpr {
    let tagged = tag::Entity::find()
        .select_only()
        .column(tag::Column::LinkId)
        .filter(tag::Column::Tag.eq(tag.as_str()));
    link::Column::Id.in_subquery(tagged.into_query())
}
