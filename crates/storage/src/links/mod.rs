//! The link store.
//!
//! | module | holds |
//! |---|---|
//! | `insert`, `insert_many` | new links, one or many |
//! | `change` | changing and deleting a link, and counting its visits |
//! | `find`, `list`, `search` | reads |
//! | `conditions` | conditions that listings and searches share; those on the keys of links |

pub(crate) mod change;
pub(crate) mod conditions;
pub(crate) mod find;
pub(crate) mod insert;
mod insert_many;
mod list;
#[cfg(test)]
pub(crate) mod plans;
mod search;

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
    change::{TakeVisit, take_visit_now},
    insert::InsertLink,
    insert_many::InsertLinks,
};
use crate::{
    assistants::SqlAssistantStore,
    database::{Database, StoreTimings},
    database_url::DatabaseUrl,
    domains::SqlDomainStore,
    failure::{Failure, failing_to},
    listening::{Listening, Subject},
    opening::OpenError,
    schema_connection::SchemaConnection,
    session::Session,
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

    /// Opens a database whose schema another program looks after. Changes nothing in the schema and
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

    /// Returns whether the last change failed.
    pub fn last_change_failed(&self) -> bool {
        self.database.last_change_failed()
    }
}

impl SqlLinkStore {
    async fn page(&self, action: &'static str, query: ListQuery) -> Result<Vec<Link>, StoreError> {
        let list = async move |session: &Session<'_>| list::list(session, &query).await;
        self.database.read(action, list).await
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
        self.database.insert(insert).await
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
        for _ in 0..ATTEMPTS {
            let insert = insert.clone();
            let insert = async move |session: &Session<'_>| insert.apply(session).await;
            if let Some(outcomes) = self.database.change("insert links", insert).await? {
                return Ok(outcomes);
            }
        }
        Err(failing_to("insert links")(Failure::Contended))
    }

    async fn update(
        &self,
        link: &Link,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Update, StoreError> {
        let (link, known, note) = (link.clone(), known.clone(), note.clone());
        let keeping = self.keeping;
        let update = async move |session: &Session<'_>| {
            change::update(session, &link, &known, &note, keeping).await
        };
        self.database.change("update a link", update).await
    }

    async fn find(&self, key: &LinkKey) -> Result<Option<Link>, StoreError> {
        let key = key.clone();
        let find = async move |session: &Session<'_>| find::one(session, &key).await;
        self.database.read_at_once("find a link", find).await
    }

    async fn follow(&self, key: &LinkKey) -> Result<Option<FollowedLink>, StoreError> {
        self.database.follow(key).await
    }

    async fn take_visit(&self, id: &LinkId, version: Revision) -> Result<Taking, StoreError> {
        let id = id.clone();
        self.database.take_visit(TakeVisit { id, version }).await
    }

    async fn take_visit_now(
        &self,
        key: &LinkKey,
    ) -> Result<(Taking, Option<FollowedLink>), StoreError> {
        let key = key.clone();
        let take = async move |session: &Session<'_>| take_visit_now(session, &key).await;
        self.database.change_uncached("count a visit", take).await
    }

    async fn list(&self, query: &ListQuery) -> Result<Vec<Link>, StoreError> {
        self.page("list links", query.clone()).await
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
        self.page("search links", query).await
    }

    async fn count(&self, filter: &LinkFilter, now: UnixSeconds) -> Result<u64, StoreError> {
        let filter = filter.clone();
        let count = async move |session: &Session<'_>| search::count(session, &filter, now).await;
        self.database.read("count links", count).await
    }

    async fn tags(
        &self,
        reach: &Reach,
        domain: Option<&DomainName>,
    ) -> Result<Vec<TagCount>, StoreError> {
        let (reach, domain) = (reach.clone(), domain.cloned());
        let count =
            async move |session: &Session<'_>| find::tags(session, &reach, domain.as_ref()).await;
        self.database.read("count tags", count).await
    }

    async fn tagged(
        &self,
        tags: &BTreeSet<Tag>,
        limit: u32,
    ) -> Result<BTreeSet<LinkId>, StoreError> {
        let select = find::tagged(tags, limit);
        let found = self.database.rows("find the links of a tag", select).await;
        Ok(found?.into_iter().collect())
    }

    async fn holders(
        &self,
        keys: &BTreeSet<LinkKey>,
        ids: &BTreeSet<LinkId>,
    ) -> Result<Vec<Link>, StoreError> {
        let (keys, ids) = (keys.clone(), ids.clone());
        let find = async move |session: &Session<'_>| find::holders(session, &keys, &ids).await;
        self.database.read("find links", find).await
    }

    async fn delete_version(
        &self,
        key: &LinkKey,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Deletion, StoreError> {
        let (key, known, note) = (key.clone(), known.clone(), note.clone());
        let keeping = self.keeping;
        let delete = async move |session: &Session<'_>| {
            change::delete_version(session, &key, &known, &note, keeping).await
        };
        self.database.change("delete a link", delete).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.database.ping().await
    }

    fn hearing(&self) -> Hearing {
        self.database.hearing_of(Subject::Links)
    }
}
