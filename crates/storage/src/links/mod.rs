//! The link store: one file for each operation.
//!
//! | module | holds |
//! |---|---|
//! | `insert`, `insert_many`, `update`, `take_visit`, `delete` | changes |
//! | `find`, `holders`, `list`, `search`, `tags`, `tagged` | reads |
//! | `conditions`, `keys` | conditions that listings and searches share; those on the keys of links |
//! | `write` | writing the rows of a link |

mod conditions;
mod delete;
pub(crate) mod find;
mod holders;
pub(crate) mod insert;
mod insert_many;
pub(crate) mod keys;
mod list;
#[cfg(test)]
pub(crate) mod plans;
mod search;
mod tagged;
mod tags;
pub(crate) mod take_visit;
mod update;
pub(crate) mod write;

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, DomainName, FollowedLink, Keeping, Link, LinkFilter, LinkId, LinkKey, LinkOrder,
    ListQuery, Reach, Revision, Tag, TagCount, UnixSeconds,
    ports::{
        Deletion, Hearing, Insertion, LinkObserver, LinkStore, StoreError, Taking, Update, Version,
    },
};
use tracing::warn;

use self::{
    delete::{DeleteLink, DeleteVersion},
    find::{FindLink, FollowLink},
    holders::FindHolders,
    insert::InsertLink,
    insert_many::InsertLinks,
    list::ListLinks,
    search::CountLinks,
    tagged::FindTagged,
    tags::CountTags,
    take_visit::TakeVisit,
    update::UpdateLink,
};
pub(crate) use self::{keys::has_key, write::insert_row};
use crate::{
    assistants::SqlAssistantStore,
    database::{Database, StoreTimings},
    database_url::DatabaseUrl,
    domains::SqlDomainStore,
    failure::{Failure, failing_to},
    listening::Listening,
    opening::OpenError,
    schema_connection::SchemaConnection,
    tokens::SqlTokenStore,
};

/// Links in SQLite or PostgreSQL.
#[derive(Clone, Debug)]
pub struct SqlLinkStore {
    pub(crate) database: Database,
    pub(crate) keeping: Keeping,
}

impl SqlLinkStore {
    /// Opens a database, creates a missing file, and brings the schema up to date. Several
    /// processes may do so at the same time.
    ///
    /// # Errors
    /// The database refused, or a later version or another build has changed the schema.
    pub async fn open(url: &DatabaseUrl) -> Result<Self, OpenError> {
        let schema = SchemaConnection::open(url).await?;
        schema.update().await.map_err(OpenError::Schema)?;
        if let Err(error) = schema.make_missing_statistics().await {
            warn!(%error, "PostgreSQL has no statistics of the links, so lists and searches may be slow");
        }
        Ok(Self::new(Database::open(url).await?))
    }

    /// Opens a database whose schema somebody else looks after. Changes nothing in the schema and
    /// makes no file.
    ///
    /// # Errors
    /// The schema is behind, which names the missing steps; or the database refused, or is not
    /// there.
    pub async fn open_current(url: &DatabaseUrl) -> Result<Self, OpenError> {
        let schema = SchemaConnection::open_to_examine(url).await?;
        let pending = schema.pending().await.map_err(OpenError::Schema)?;
        if !pending.is_empty() {
            return Err(OpenError::Behind(pending));
        }
        Ok(Self::new(Database::open(url).await?))
    }

    /// Keeps links in this database, whose schema must be up to date.
    pub fn new(database: Database) -> Self {
        let keeping = Keeping::default();
        Self { database, keeping }
    }

    /// Keeps so much of links that are changed or deleted.
    #[must_use]
    pub fn keeping(mut self, keeping: Keeping) -> Self {
        self.keeping = keeping;
        self
    }

    /// Reports every change to links by any process to an observer, until the value is dropped.
    /// Without it, a store on PostgreSQL does not learn of changes; one on SQLite counts them,
    /// and the value is `None`.
    pub fn listen(&self, observer: Arc<dyn LinkObserver>) -> Option<Listening> {
        self.database.listen(observer)
    }

    /// The named tokens in the same database.
    pub fn tokens(&self) -> SqlTokenStore {
        let database = self.database.clone();
        SqlTokenStore { database }
    }

    /// The named domains in the same database.
    pub fn domains(&self) -> SqlDomainStore {
        SqlDomainStore {
            database: self.database.clone(),
            keeping: self.keeping,
        }
    }

    /// The assistants in the same database.
    pub fn assistants(&self) -> SqlAssistantStore {
        let database = self.database.clone();
        SqlAssistantStore { database }
    }

    /// The time that the database has taken since it was opened.
    pub fn timings(&self) -> StoreTimings {
        self.database.timings()
    }
}

#[async_trait]
impl LinkStore for SqlLinkStore {
    async fn insert(
        &self,
        reach: &Reach,
        link: &Link,
        note: &AuditNote,
    ) -> Result<Insertion, StoreError> {
        let insert = InsertLink {
            reach: reach.clone(),
            link: link.clone(),
            note: note.clone(),
            keeping: self.keeping,
            may_be_stored: false,
        };
        let inserted = self.database.insert(insert).await;
        inserted.map_err(failing_to("insert a link"))
    }

    async fn insert_many(
        &self,
        reach: &Reach,
        links: &[Link],
        note: &AuditNote,
    ) -> Result<Vec<Insertion>, StoreError> {
        /// An attempt fails only if another writer's change succeeded.
        const ATTEMPTS: usize = 5;

        let insert = InsertLinks::new(reach, links, note, self.keeping);
        let attempts = async {
            for _ in 0..ATTEMPTS {
                if let Some(outcomes) = self.database.change(insert.clone()).await? {
                    return Ok(outcomes);
                }
            }
            Err(Failure::Contended)
        };
        attempts.await.map_err(failing_to("insert links"))
    }

    async fn update(
        &self,
        link: &Link,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Update, StoreError> {
        let update = UpdateLink {
            link: link.clone(),
            known: known.clone(),
            note: note.clone(),
            keeping: self.keeping,
        };
        let updated = self.database.change(update).await;
        updated.map_err(failing_to("update a link"))
    }

    async fn find(&self, key: &LinkKey) -> Result<Option<Link>, StoreError> {
        let key = key.clone();
        let found = self.database.read_at_once(FindLink { key }).await;
        found.map_err(failing_to("find a link"))
    }

    async fn follow(&self, key: &LinkKey) -> Result<Option<FollowedLink>, StoreError> {
        let key = key.clone();
        let found = self.database.follow(FollowLink { key }).await;
        found.map_err(failing_to("find a link"))
    }

    async fn take_visit(&self, id: &LinkId, version: Revision) -> Result<Taking, StoreError> {
        let id = id.clone();
        let taken = self.database.take_visit(TakeVisit { id, version }).await;
        taken.map_err(failing_to("count a visit"))
    }

    async fn list(&self, query: &ListQuery) -> Result<Vec<Link>, StoreError> {
        let listed = self.database.read(ListLinks(query.clone())).await;
        listed.map_err(failing_to("list links"))
    }

    async fn search(
        &self,
        filter: &LinkFilter,
        now: UnixSeconds,
        limit: u32,
    ) -> Result<Vec<Link>, StoreError> {
        let query = ListQuery {
            now,
            order: LinkOrder::SlugAscending,
            filter: filter.clone(),
            after: None,
            limit,
        };
        let found = self.database.read(ListLinks(query)).await;
        found.map_err(failing_to("search links"))
    }

    async fn count(&self, filter: &LinkFilter, now: UnixSeconds) -> Result<u64, StoreError> {
        let filter = filter.clone();
        let counted = self.database.read(CountLinks { filter, now }).await;
        counted.map_err(failing_to("count links"))
    }

    async fn tags(
        &self,
        reach: &Reach,
        domain: Option<&DomainName>,
    ) -> Result<Vec<TagCount>, StoreError> {
        let (reach, domain) = (reach.clone(), domain.cloned());
        let counted = self.database.read(CountTags { reach, domain }).await;
        counted.map_err(failing_to("count tags"))
    }

    async fn tagged(
        &self,
        tags: &BTreeSet<Tag>,
        limit: u32,
    ) -> Result<BTreeSet<LinkId>, StoreError> {
        let tags = tags.clone();
        let found = self.database.read(FindTagged { tags, limit }).await;
        found.map_err(failing_to("find the links of a tag"))
    }

    async fn holders(
        &self,
        keys: &BTreeSet<LinkKey>,
        ids: &BTreeSet<LinkId>,
    ) -> Result<Vec<Link>, StoreError> {
        let (keys, ids) = (keys.clone(), ids.clone());
        let found = self.database.read(FindHolders { keys, ids }).await;
        found.map_err(failing_to("find links"))
    }

    async fn delete(&self, key: &LinkKey, note: &AuditNote) -> Result<Option<Link>, StoreError> {
        let delete = DeleteLink {
            key: key.clone(),
            note: note.clone(),
            keeping: self.keeping,
        };
        let deleted = self.database.change(delete).await;
        deleted.map_err(failing_to("delete a link"))
    }

    async fn delete_version(
        &self,
        key: &LinkKey,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Deletion, StoreError> {
        let delete = DeleteVersion {
            key: key.clone(),
            known: known.clone(),
            note: note.clone(),
            keeping: self.keeping,
        };
        let deleted = self.database.change(delete).await;
        deleted.map_err(failing_to("delete a link"))
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.database.ping().await.map_err(failing_to("answer"))
    }

    fn hearing(&self) -> Hearing {
        self.database.hearing()
    }
}
