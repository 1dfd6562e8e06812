//! Conditions on links: those that listings and searches share, and those on keys.

use sea_orm::{
    ColumnTrait, Condition, DbBackend, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Select,
    Statement,
    sea_query::{Asterisk, Expr, ExprTrait, Query, SelectStatement, UnionType},
};
use slugline_domain::{
    Binding, DomainName, Failing, LinkId, LinkKey, LinkStatus, Reach, StatusFilter, Tag,
    UnixSeconds,
};

use crate::{
    entity::{link, tag, watch},
    failure::Failure,
    session::Session,
};

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

/// The link with a key.
pub(crate) fn has_key(key: &LinkKey) -> Condition {
    Condition::all()
        .add(link::Column::Domain.eq(key.domain.as_str()))
        .add(link::Column::Slug.eq(key.slug.as_str()))
}

/// The links with any of these keys.
pub(crate) fn has_any<'k>(keys: impl IntoIterator<Item = &'k LinkKey>) -> Condition {
    let pairs: Vec<(String, String)> = keys
        .into_iter()
        .map(|key| (key.domain.to_string(), key.slug.to_string()))
        .collect();
    if pairs.is_empty() {
        return Condition::any().add(Expr::val(1).eq(0));
    }
    // A table of pairs, because SQLite takes no list of pairs, and begins with an index of domains
    // when it finds the domain in a condition of its own.
    let asked: SelectStatement = Query::select()
        .column(Asterisk)
        .from_values(pairs, "asked")
        .take();
    let key = Expr::tuple([
        Expr::col(link::Column::Domain),
        Expr::col(link::Column::Slug),
    ]);
    Condition::all().add(key.in_subquery(asked))
}

/// The links of a domain.
pub(super) fn is_of(backend: DbBackend, domain: &DomainName) -> Condition {
    Condition::all().add(if backend == DbBackend::Sqlite {
        // SQLite has no statistics, and takes ten links for all those of a domain.
        Expr::cust_with_values("likelihood(domain = ?, 0.9)", [domain.as_str()])
    } else {
        link::Column::Domain.eq(domain.as_str())
    })
}

/// Links of these domains, checked one by one: for the few links that another condition finds.
pub(super) fn is_among<'d>(
    backend: DbBackend,
    domains: impl IntoIterator<Item = &'d DomainName>,
) -> Condition {
    let names: Vec<&str> = domains.into_iter().map(DomainName::as_str).collect();
    Condition::all().add(if backend == DbBackend::Sqlite && !names.is_empty() {
        // The sign keeps SQLite from beginning with an index of domains.
        let places = vec!["?"; names.len()].join(", ");
        Expr::cust_with_values(format!("+domain IN ({places})"), names)
    } else {
        link::Column::Domain.is_in(names)
    })
}

/// Links of the domains that a reach is confined to, checked one by one.
pub(super) fn within(backend: DbBackend, reach: &Reach) -> Condition {
    match reach.binding().map(Binding::domains) {
        Some(domains) if !domains.is_empty() => is_among(backend, domains),
        Some(_) | None => Condition::all(),
    }
}

/// The domains that have links, in order.
pub(super) async fn in_use(session: &Session<'_>) -> Result<Vec<DomainName>, Failure> {
    /// Steps from one domain to the next in the index. `DISTINCT` would read all of it.
    const IN_USE: &str = "
        WITH RECURSIVE used (name) AS (
            SELECT min(domain) FROM short_links
            UNION ALL
            SELECT (SELECT min(domain) FROM short_links WHERE domain > used.name)
            FROM used WHERE used.name IS NOT NULL
        )
        SELECT name FROM used WHERE name IS NOT NULL";
    let names = Statement::from_string(session.backend(), IN_USE);
    let names = session.rows::<String>(names).await?;
    let names = names.iter().map(|name| DomainName::parse(name));
    Ok(names.collect::<Result<_, _>>()?)
}

/// Returns whether a new link may belong to a domain. It may as long as the transaction lasts: on
/// PostgreSQL the transaction that takes the domain away waits for its end, on SQLite there is one writer.
pub(crate) async fn is_there(session: &Session<'_>, domain: &DomainName) -> Result<bool, Failure> {
    let Some(host) = domain.host() else {
        return Ok(true);
    };
    let backend = session.backend();
    let named = if backend == DbBackend::Sqlite {
        "SELECT host FROM domains WHERE host = ?"
    } else {
        "SELECT host FROM domains WHERE host = $1 FOR KEY SHARE"
    };
    let named = Statement::from_sql_and_values(backend, named, [host.as_str().into()]);
    Ok(!session.rows::<String>(named).await?.is_empty())
}
