//! Conditions on the keys of links.

use sea_orm::{
    ColumnTrait, Condition, DbBackend, Statement,
    sea_query::{Asterisk, Expr, ExprTrait, Query, SelectStatement},
};
use slugline_domain::{Binding, DomainName, LinkKey, Reach};

use crate::{entity::link, failure::Failure, session::Session};

/// The link with a key.
pub(crate) fn has_key(key: &LinkKey) -> Condition {
    has_parts(key.domain.as_str(), key.slug.as_str())
}

/// The link with the name of a domain and a slug.
pub(crate) fn has_parts(domain: &str, slug: &str) -> Condition {
    Condition::all()
        .add(link::Column::Domain.eq(domain))
        .add(link::Column::Slug.eq(slug))
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
