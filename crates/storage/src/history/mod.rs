//! Former versions of links, read, brought back and removed. `former_versions` writes them.
//!
//! | module | holds |
//! |---|---|
//! | `trash` | the links that are in the trash, and those that are removed |

mod trash;

use std::collections::BTreeSet;

use async_trait::async_trait;
use sea_orm::{
    ColumnTrait, DbBackend, EntityTrait, QueryFilter, QuerySelect, QueryTrait, Statement,
    sea_query::{Expr, LockType, Order, Query, SelectStatement, UnionType},
};
use slugline_domain::{
    AuditNote, Ending, FormerVersion, Keeping, Link, LinkId, LinkVersions, MadeLink, Purge, Reach,
    Revision, TrashQuery, UnixMillis,
    history::LinkHistory,
    ports::{Insertion, StoreError, Version},
};

use crate::{
    audit_lines::write_line,
    entity::{
        link::{self, Column},
        version,
    },
    failure::Failure,
    hexadecimal::hexadecimal,
    links::{
        SqlLinkStore,
        insert::{InsertLink, KEYS},
    },
    session::{
        Applied::{Commit, Rollback},
        Session,
    },
};

#[async_trait]
impl LinkHistory for SqlLinkStore {
    fn keeping(&self) -> Keeping {
        self.keeping
    }

    async fn versions(&self, id: &LinkId) -> Result<LinkVersions, StoreError> {
        let versions = all_versions(id);
        let read = async move |session: &Session<'_>| {
            let versions = session.backend().build(&versions);
            let mut current = None;
            let mut former = Vec::new();
            for version in session.rows(versions).await? {
                match version {
                    version::Version::Current(link) => current = Some(link),
                    version::Version::Former(version) => former.push(version),
                }
            }
            Ok(LinkVersions::new(current, former))
        };
        self.database
            .read("read the versions of a link", read)
            .await
    }

    async fn made_by(&self, keys: &BTreeSet<[u8; 32]>) -> Result<Vec<MadeLink>, StoreError> {
        let keys: Vec<String> = keys.iter().map(hexadecimal).collect();
        let read = async move |session: &Session<'_>| {
            let mut made = Vec::new();
            for some in keys.chunks(KEYS) {
                made.extend(
                    session
                        .rows(session.backend().build(&made_by(some)))
                        .await?,
                );
            }
            Ok(made)
        };
        self.database.read("find the link of a request", read).await
    }

    async fn trash(&self, query: &TrashQuery) -> Result<Vec<FormerVersion>, StoreError> {
        let query = query.clone();
        let read = async move |session: &Session<'_>| {
            let backend = session.backend();
            let trash = trash::select(backend, &query);
            session.rows(backend.build(&trash)).await
        };
        self.database.read("read the trash", read).await
    }

    /// Inserts a link that is in the trash, with `last` as its last revision there. The last
    /// version is from then on one that ended when the link was brought back.
    async fn bring_back(
        &self,
        reach: &Reach,
        link: &Link,
        last: Revision,
        note: &AuditNote,
    ) -> Result<Option<Insertion>, StoreError> {
        let insert = InsertLink {
            reach: reach.clone(),
            link: link.clone(),
            note: note.clone(),
            keeping: self.keeping,
            may_be_stored: false,
        };
        let bring_back = async move |session: &Session<'_>| {
            let take_out = take_out(session.backend(), &insert.link.id, last, &insert.note);
            if session.run(take_out).await? == 0 {
                return Ok(Commit(None));
            }
            Ok(match insert.apply(session).await? {
                Commit(Insertion::Stored) => Commit(Some(Insertion::Stored)),
                Commit(refused) | Rollback(refused) => Rollback(Some(refused)),
            })
        };
        self.database.change("bring a link back", bring_back).await
    }

    async fn purge(
        &self,
        id: &LinkId,
        known: Option<&Version>,
        note: &AuditNote,
    ) -> Result<Purge, StoreError> {
        let (id, known, note) = (id.clone(), known.cloned(), note.clone());
        let purge = async move |session: &Session<'_>| {
            let link = find(session, &id, Some(LockType::Update)).await?;
            let versions = newest_first(&id).lock(LockType::Update).take();
            let versions = session.backend().build(&versions);
            let versions = session.rows::<FormerVersion>(versions).await?;
            // Another caller may have brought it back before its versions were locked. Others lock
            // a link before its versions, so to lock it now could be a deadlock.
            if link.is_none() && find(session, &id, None).await?.is_some() {
                return Ok(Commit(Purge::Outdated));
            }
            if known.is_some() && link.as_ref().map(Version::of) != known {
                return Ok(Commit(Purge::Outdated));
            }
            if link.is_some() {
                let of_link = Column::Id.eq(id.as_str());
                let delete = link::Entity::delete_many().filter(of_link);
                session.execute(&delete).await?;
            }
            let last = versions.into_iter().next().map(|version| version.link);
            let Some(latest) = link.or(last) else {
                return Ok(Commit(Purge::Nothing));
            };
            let forget = Query::delete()
                .from_table(version::TABLE)
                .and_where(version::is_of(&id))
                .take();
            session.run(session.backend().build(&forget)).await?;
            write_line(session, &note, &latest.key).await?;
            Ok(Commit(Purge::Purged(latest.key)))
        };
        self.database.change("erase a link", purge).await
    }

    async fn remove_old(&self, now: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        let keeping = self.keeping;
        let remove = async move |session: &Session<'_>| {
            Ok(Commit(
                trash::remove_old(session, keeping, now, limit).await?,
            ))
        };
        let action = "remove old versions of links";
        self.database.change(action, remove).await
    }
}

/// The link, and its former versions, the newest first. One statement, because on PostgreSQL a
/// link that changes between two would miss a version, or have one twice.
fn all_versions(id: &LinkId) -> SelectStatement {
    let current = current(Column::Id.eq(id.as_str()));
    newest_first(id).union(UnionType::All, current).take()
}

/// The links that requests made, by the digests of their keys. One statement, for the same reason.
fn made_by(keys: &[String]) -> SelectStatement {
    let current = current(link::is_made_by(keys));
    version::select()
        .cond_where(version::is_deleted_of(keys))
        .union(UnionType::All, current)
        .take()
}

/// Selects links in the form of versions.
fn current(which: Expr) -> SelectStatement {
    let mut current = link::select().filter(which).into_query();
    current.exprs(version::END.map(|_| Expr::cust("NULL")));
    current
}

/// The versions of a link, the newest first.
fn newest_first(id: &LinkId) -> SelectStatement {
    version::select()
        .and_where(version::is_of(id))
        .order_by("number", Order::Desc)
        .take()
}

/// The link. A locked one stays as it is until the transaction ends.
async fn find(
    session: &Session<'_>,
    id: &LinkId,
    lock: Option<LockType>,
) -> Result<Option<Link>, Failure> {
    let mut select = link::select().filter(Column::Id.eq(id.as_str()));
    if let Some(lock) = lock {
        select = select.lock(lock);
    }
    let row = session.first::<link::Model>(&select).await?;
    Ok(row.map(link::to_link).transpose()?)
}

/// Of two callers who bring the same link back, the second one changes no row.
fn take_out(backend: DbBackend, id: &LinkId, last: Revision, note: &AuditNote) -> Statement {
    const TAKE_OUT: &str = "
        UPDATE link_versions SET deleted_at = NULL, ended_at = $1, ended_by = $2, operation = $3
        WHERE id = $4 AND revision = $5 AND deleted_at IS NOT NULL
        AND number = (SELECT max(number) FROM link_versions WHERE id = $4)";
    let end = Ending::by(note);
    let values = [
        end.at.get().into(),
        end.by.as_str().into(),
        end.operation.into(),
        id.as_str().into(),
        last.get().into(),
    ];
    Statement::from_sql_and_values(backend, TAKE_OUT, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::plans::Schema;

    #[tokio::test]
    async fn versions_are_read_along_an_index() {
        let schema = Schema::new().await;
        let versions = all_versions(&LinkId::parse("x").unwrap());
        let versions = schema.plan(&DbBackend::Sqlite.build(&versions));
        for index in [
            "link_versions USING INDEX link_versions_link (id=?)",
            "short_links USING INDEX sqlite_autoindex_short_links_1 (id=?)",
        ] {
            assert!(versions.contains(index), "{versions}");
        }
        assert!(!versions.contains("SCAN"), "{versions}");
    }

    #[tokio::test]
    async fn the_link_of_a_request_is_found_along_an_index() {
        let schema = Schema::new().await;
        let made = made_by(&["a".to_owned(), "b".to_owned()]);
        let made = schema.plan(&DbBackend::Sqlite.build(&made));
        for index in [
            "link_versions USING INDEX link_versions_request (request_key=?)",
            "short_links USING INDEX links_request (request_key=?)",
        ] {
            assert!(made.contains(index), "{made}");
        }
        assert!(!made.contains("SCAN"), "{made}");
    }
}
