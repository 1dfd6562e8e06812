//! The trash: the links that are in it, and those that are removed.

use sea_orm::{
    Condition, DbBackend,
    sea_query::{
        DeleteStatement, Expr, ExprTrait, LockBehavior, LockType, Order, Query, SelectStatement,
    },
};
use slugline_domain::{Binding, DomainName, Keeping, LinkId, Tag, TrashQuery, UnixMillis};

use crate::{
    entity::{link::Column, version},
    failure::Failure,
    session::Session,
};

/// Links whose identity no other link has, and no later version.
const ARE_GONE: &str = "
    NOT EXISTS (SELECT 1 FROM short_links WHERE short_links.id = link_versions.id)
    AND NOT EXISTS (
        SELECT 1 FROM link_versions later
        WHERE later.id = link_versions.id AND later.number > link_versions.number
    )";

pub(super) fn select(backend: DbBackend, query: &TrashQuery) -> SelectStatement {
    let deleted_at = || Expr::col("deleted_at");
    let in_domain = query.domain.as_ref().map(|domain| is_in([domain]));
    let mut wanted = Condition::all()
        // Tells SQLite that the index of the trash has every row that is wanted.
        .add(deleted_at().is_not_null())
        .add(Expr::cust(ARE_GONE))
        .add_option(in_domain)
        .add_option(
            query
                .reach
                .binding()
                .map(|binding| within(backend, binding)),
        );
    if let Some(after) = query.after {
        // The first condition repeats what the second one implies, because only the first tells
        // the planner where to start in the index.
        let at = after.deleted_at.get();
        let earlier = deleted_at().lt(at).or(Expr::col("number").lt(after.number));
        wanted = wanted.add(deleted_at().lte(at)).add(earlier);
    }
    version::select()
        .cond_where(wanted)
        .order_by("deleted_at", Order::Desc)
        .order_by("number", Order::Desc)
        .limit(u64::from(query.limit))
        .take()
}

fn is_in<'d>(domains: impl IntoIterator<Item = &'d DomainName>) -> Expr {
    let names = domains.into_iter().map(DomainName::as_str);
    Expr::col(Column::Domain).is_in(names)
}

/// Links of a binding, by what they were when they were deleted.
fn within(backend: DbBackend, binding: &Binding) -> Condition {
    let domains = binding.domains();
    let within = Condition::all().add_option((!domains.is_empty()).then(|| is_in(domains)));
    if binding.is_of_whole_domains() {
        return within;
    }
    let ids = binding.links().iter().map(LinkId::as_str);
    let mut named = Condition::any().add(Expr::col(Column::Id).is_in(ids));
    for tag in binding.tags() {
        named = named.add(has_tag(backend, tag));
    }
    within.add(named)
}

/// Each tag stands after a `T`, and none holds one.
fn has_tag(backend: DbBackend, tag: &Tag) -> Expr {
    let contains = if backend == DbBackend::Sqlite {
        "instr(tags || 'T', ?) > 0"
    } else {
        "strpos(tags || 'T', $1) > 0"
    };
    Expr::cust_with_values(contains, [format!("T{tag}T")])
}

/// Removes some of what is no longer kept. Returns the number of versions, or of links.
pub(super) async fn remove_old(
    session: &Session<'_>,
    keeping: Keeping,
    now: UnixMillis,
    limit: u32,
) -> Result<u64, Failure> {
    let backend = session.backend();
    let old = if keeping.versions == 0 {
        versions("number", limit)
    } else {
        too_long_in_trash(keeping, now, limit)
    };
    let old = session.rows::<(i64, String)>(backend.build(&old)).await?;
    if keeping.versions == 0 {
        let numbers = old.iter().map(|(number, _)| *number);
        let remove = delete(Expr::col("number").is_in(numbers));
        return session.run(backend.build(&remove)).await;
    }
    for (number, id) in &old {
        // A link of the same identity that was stored later has later versions.
        let until = Expr::col("number").lte(*number);
        let remove = delete(Expr::col(Column::Id).eq(id.as_str()).and(until));
        session.run(backend.build(&remove)).await?;
    }
    Ok(u64::try_from(old.len()).unwrap_or(u64::MAX))
}

fn too_long_in_trash(keeping: Keeping, now: UnixMillis, limit: u32) -> SelectStatement {
    let before = keeping.ends_before(now);
    versions("deleted_at", limit)
        .and_where(Expr::col("deleted_at").lt(before.get()))
        .take()
}

/// The first versions in this order. Two nodes select different ones. SQLite has one writer and
/// ignores the lock.
fn versions(order: &'static str, limit: u32) -> SelectStatement {
    Query::select()
        .column("number")
        .column(Column::Id)
        .from(version::TABLE)
        .order_by(order, Order::Asc)
        .limit(u64::from(limit))
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .take()
}

fn delete(which: Expr) -> DeleteStatement {
    Query::delete()
        .from_table(version::TABLE)
        .and_where(which)
        .take()
}

#[cfg(test)]
mod tests {
    use slugline_domain::{Reach, TrashPosition};
    use slugline_testkit::NOON;

    use super::*;
    use crate::links::plans::Schema;

    #[tokio::test]
    async fn the_trash_is_read_along_an_index() {
        let schema = Schema::new().await;
        let after = TrashPosition {
            deleted_at: UnixMillis::new(5),
            number: 7,
        };
        let default = Some(DomainName::DEFAULT);
        for (domain, after) in [(None, None), (None, Some(after)), (default, None)] {
            let query = TrashQuery {
                reach: Reach::Everything,
                domain,
                after,
                limit: 20,
            };
            let trash = schema.plan(&DbBackend::Sqlite.build(&select(DbBackend::Sqlite, &query)));
            let index = "link_versions USING INDEX link_versions_trash";
            assert!(trash.contains(index), "{trash}");
            assert!(!trash.contains("TEMP B-TREE"), "{trash}");
        }
    }

    #[tokio::test]
    async fn links_that_are_too_long_in_the_trash_are_found_along_its_index() {
        let too_long = too_long_in_trash(Keeping::default(), NOON.start(), 20);
        let schema = Schema::new().await;
        let plan = schema.plan(&DbBackend::Sqlite.build(&too_long));
        assert_eq!(
            plan,
            "SEARCH link_versions USING INDEX link_versions_trash (deleted_at<?)"
        );
    }
}
