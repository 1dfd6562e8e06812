//! The versions of a link, and the trash.

use sea_orm::{
    ColumnTrait, Condition, DbBackend, QueryFilter, QueryTrait,
    sea_query::{Expr, ExprTrait, Order, SelectStatement, UnionType},
};
use slugline_domain::{
    Binding, DomainName, FormerVersion, Link, LinkId, LinkVersions, Tag, TrashQuery,
};

use crate::{
    entity::{
        link::{self, Column},
        version,
    },
    failure::Failure,
    session::{Columns, Read, Row, Session},
};

pub(super) struct ReadVersions(pub(super) LinkId);

impl Read for ReadVersions {
    type Answer = LinkVersions;

    async fn read<S: Session>(&self, session: &S) -> Result<LinkVersions, Failure> {
        let versions = session.backend().build(&all_versions(&self.0));
        let mut current = None;
        let mut former = Vec::new();
        for version in session.rows(versions).await? {
            match version {
                Version::Current(link) => current = Some(link),
                Version::Former(version) => former.push(version),
            }
        }
        Ok(LinkVersions::new(current, former))
    }
}

/// A link that is there, or a former version.
enum Version {
    Current(Link),
    Former(FormerVersion),
}

impl Row for Version {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        let end = link::read_columns().count() + 1;
        Ok(match columns.optional_number(end)? {
            Some(_) => Self::Former(FormerVersion::read(columns)?),
            None => Self::Current(link::to_link(link::Model::read(columns)?)?),
        })
    }
}

/// The link, and its former versions, the newest first. One statement, because on PostgreSQL a
/// link that changes between two would miss a version, or have one twice.
fn all_versions(id: &LinkId) -> SelectStatement {
    let mut current = link::select()
        .filter(Column::Id.eq(id.as_str()))
        .into_query();
    current.exprs(version::END.map(|_| Expr::cust("NULL")));
    newest_first(id).union(UnionType::All, current).take()
}

/// The versions of a link, the newest first.
pub(super) fn newest_first(id: &LinkId) -> SelectStatement {
    version::select()
        .and_where(version::is_of(id))
        .order_by("number", Order::Desc)
        .take()
}

pub(super) struct ReadTrash(pub(super) TrashQuery);

impl Read for ReadTrash {
    type Answer = Vec<FormerVersion>;

    async fn read<S: Session>(&self, session: &S) -> Result<Vec<FormerVersion>, Failure> {
        let backend = session.backend();
        session.rows(backend.build(&select(backend, &self.0))).await
    }
}

/// Links whose identity no other link has, and no later version.
const ARE_GONE: &str = "
    NOT EXISTS (SELECT 1 FROM short_links WHERE short_links.id = link_versions.id)
    AND NOT EXISTS (
        SELECT 1 FROM link_versions later
        WHERE later.id = link_versions.id AND later.number > link_versions.number
    )";

fn select(backend: DbBackend, query: &TrashQuery) -> SelectStatement {
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

#[cfg(test)]
mod tests {
    use slugline_domain::{Reach, TrashPosition, UnixMillis};

    use super::*;
    use crate::links::plans::Schema;

    #[tokio::test]
    async fn versions_and_the_trash_are_read_along_an_index() {
        let schema = Schema::new().await;
        let plan = |select: &SelectStatement| schema.plan(&DbBackend::Sqlite.build(select));
        let versions = plan(&all_versions(&LinkId::parse("x").unwrap()));
        for index in [
            "link_versions USING INDEX link_versions_link (id=?)",
            "short_links USING INDEX sqlite_autoindex_short_links_1 (id=?)",
        ] {
            assert!(versions.contains(index), "{versions}");
        }
        assert!(!versions.contains("SCAN"), "{versions}");
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
            let trash = plan(&select(DbBackend::Sqlite, &query));
            let index = "link_versions USING INDEX link_versions_trash";
            assert!(trash.contains(index), "{trash}");
            assert!(!trash.contains("TEMP B-TREE"), "{trash}");
        }
    }
}
