//! Filters and orders of lists and searches.

use std::cmp::Ordering;

use slugline_domain::{
    Comment, Destination, Link, LinkFilter, LinkOrder, LinkStatus, Position, SearchText,
    StatusFilter, UnixSeconds,
};

pub(crate) fn passes(filter: &LinkFilter, now: UnixSeconds, link: &Link) -> bool {
    let content = &link.content;
    let holds = |text: &str| {
        let wanted = |wanted: &SearchText| text.to_lowercase().contains(wanted.as_str());
        filter.text.as_ref().is_none_or(wanted)
    };
    let texts = [
        Some(link.slug.as_str()),
        Some(content.destination.as_str()),
        content.comment.as_ref().map(Comment::as_str),
    ];
    let same_target = |to: &Destination| content.destination.without_query() == to.without_query();
    (texts.into_iter().flatten().any(holds) || content.tags.iter().any(|tag| holds(tag.as_str())))
        && filter.destination.as_ref().is_none_or(same_target)
        && filter
            .tag
            .as_ref()
            .is_none_or(|tag| content.tags.contains(tag))
        && filter
            .slugs
            .as_ref()
            .is_none_or(|slugs| slugs.contains(&link.slug))
        && has_status(filter.status, link, now)
        && filter.reach.holds(link)
}

pub(crate) fn is_after(order: LinkOrder, link: &Link, position: &Position) -> bool {
    compare(order, &Position::after(link), position).is_gt()
}

pub(crate) fn compare(order: LinkOrder, a: &Position, b: &Position) -> Ordering {
    let by_slug = a.slug.cmp(&b.slug);
    match order {
        LinkOrder::Newest => b.created_at.cmp(&a.created_at).then(by_slug),
        LinkOrder::Oldest => a.created_at.cmp(&b.created_at).then(by_slug),
        LinkOrder::SlugAscending => by_slug,
        LinkOrder::SlugDescending => by_slug.reverse(),
    }
}

fn has_status(status: StatusFilter, link: &Link, now: UnixSeconds) -> bool {
    match status {
        StatusFilter::Active => link.status_at(now) == LinkStatus::Active,
        StatusFilter::Expired => link.status_at(now) == LinkStatus::Expired,
        StatusFilter::All => true,
    }
}
