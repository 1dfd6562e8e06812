//! The link store.

use std::collections::HashMap;

use async_trait::async_trait;
use sea_orm::{
    ActiveModelTrait, ActiveValue, ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction,
    DbErr, EntityTrait, IntoActiveModel, Order, QueryFilter, QueryOrder, QuerySelect, Select,
    SqliteTransactionMode, TransactionOptions, TransactionTrait, sea_query::OnConflict,
};
use slugline_domain::{
    Link, LinkFilter, LinkId, LinkOrder, LinkStatus, ListQuery, Position, Slug, Tag, TagCount,
    UnixSeconds,
    ports::{Insertion, LinkStore, StoreError, Update, Version},
};

use crate::{
    batch,
    conditions::{with_status, with_tag},
    connect::Database,
    convert::{BadRow, tag_rows, to_link, to_row},
    entity::{link, tag},
    search,
};

/// Links in SQLite or PostgreSQL.
#[derive(Clone, Debug)]
pub struct SqlLinkStore {
    pub(crate) database: Database,
}

impl SqlLinkStore {
    /// Keeps links in this database, whose schema must be up to date.
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    pub(crate) async fn begin(&self) -> Result<DatabaseTransaction, DbErr> {
        let options = TransactionOptions {
            // A transaction that starts by reading and then writes fails on
            // SQLite when somebody else wrote in between; this one cannot.
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        self.database.writer().begin_with_options(options).await
    }
}

#[async_trait]
impl LinkStore for SqlLinkStore {
    async fn insert(&self, link: &Link, now: UnixSeconds) -> Result<Insertion, StoreError> {
        let attempt = async {
            let transaction = self.begin().await?;
            let outcome = insert(&transaction, link, now).await?;
            match outcome {
                Insertion::Stored => transaction.commit().await?,
                Insertion::SlugTaken | Insertion::IdTaken => transaction.rollback().await?,
            }
            Ok(outcome)
        };
        attempt.await.map_err(failing_to("insert a link"))
    }

    async fn insert_many(
        &self,
        links: &[Link],
        now: UnixSeconds,
    ) -> Result<Vec<Insertion>, StoreError> {
        /// Each attempt loses only to a change that succeeded.
        const ATTEMPTS: usize = 5;

        let attempts = async {
            for _ in 0..ATTEMPTS {
                let transaction = self.begin().await?;
                match batch::insert(&transaction, links, now).await? {
                    Some(outcomes) => {
                        transaction.commit().await?;
                        return Ok(outcomes);
                    }
                    None => transaction.rollback().await?,
                }
            }
            Err(Failure::Contended)
        };
        attempts.await.map_err(failing_to("insert links"))
    }

    async fn update(&self, link: &Link, known: &Version) -> Result<Update, StoreError> {
        let attempt = async {
            let transaction = self.begin().await?;
            // The condition is part of the statement, so that of two racing
            // writers the second finds nothing to change.
            let updated = link::Entity::update_many()
                .set(to_new_row(link).reset_all())
                .filter(link::Column::Id.eq(known.id.as_str()))
                .filter(link::Column::UpdatedAt.eq(known.updated_at.get()))
                .filter(link::Column::Slug.eq(link.slug.as_str()))
                .exec(&transaction)
                .await?;
            if updated.rows_affected == 0 {
                transaction.rollback().await?;
                return Ok(Update::Outdated);
            }
            let of_link = tag::Column::LinkId.eq(link.id.as_str());
            tag::Entity::delete_many()
                .filter(of_link)
                .exec(&transaction)
                .await?;
            insert_tags(&transaction, link).await?;
            transaction.commit().await?;
            Ok(Update::Stored)
        };
        attempt.await.map_err(failing_to("update a link"))
    }

    async fn find(&self, slug: &Slug) -> Result<Option<Link>, StoreError> {
        let read = async {
            let select = link::Entity::find().filter(link::Column::Slug.eq(slug.as_str()));
            Ok(with_tags(self.database.reader(), select).await?.pop())
        };
        read.await.map_err(failing_to("find a link"))
    }

    async fn list(&self, query: &ListQuery) -> Result<Vec<Link>, StoreError> {
        let read = with_tags(self.database.reader(), select_page(query));
        read.await.map_err(failing_to("list links"))
    }

    async fn search(&self, filter: &LinkFilter, limit: u32) -> Result<Vec<Link>, StoreError> {
        let read = async {
            let reader = self.database.reader();
            with_tags(reader, search::select(reader, filter, limit).await?).await
        };
        read.await.map_err(failing_to("search links"))
    }

    async fn count(&self, filter: &LinkFilter) -> Result<u64, StoreError> {
        let read = async { Ok(search::count(self.database.reader(), filter).await?) };
        read.await.map_err(failing_to("count links"))
    }

    async fn tags(&self) -> Result<Vec<TagCount>, StoreError> {
        let read = async {
            let counts = count_tags()
                .into_tuple::<(String, i64)>()
                .all(self.database.reader())
                .await?;
            counts
                .into_iter()
                .map(|(tag, links)| tag_count(&tag, links))
                .collect::<Result<Vec<_>, Failure>>()
        };
        read.await.map_err(failing_to("count tags"))
    }

    async fn delete(&self, slug: &Slug) -> Result<Option<LinkId>, StoreError> {
        let attempt = async {
            let transaction = self.begin().await?;
            let of_slug = link::Column::Slug.eq(slug.as_str());
            let id = link::Entity::find()
                .select_only()
                .column(link::Column::Id)
                .filter(of_slug.clone())
                .into_tuple::<String>()
                .one(&transaction)
                .await?;
            // Tags go with their link by the foreign key.
            link::Entity::delete_many()
                .filter(of_slug)
                .exec(&transaction)
                .await?;
            transaction.commit().await?;
            Ok(id.map(|id| LinkId::parse(&id)).transpose()?)
        };
        attempt.await.map_err(failing_to("delete a link"))
    }

    async fn ping(&self) -> Result<(), StoreError> {
        let answer = async { Ok(self.database.reader().ping().await?) };
        answer.await.map_err(failing_to("answer"))
    }
}

/// Lets the unique indexes decide, so that of two racing writers one wins.
async fn insert(
    transaction: &DatabaseTransaction,
    new: &Link,
    now: UnixSeconds,
) -> Result<Insertion, Failure> {
    if insert_row(transaction, new).await? {
        return Ok(Insertion::Stored);
    }
    let owner = link::Entity::find()
        .filter(link::Column::Slug.eq(new.slug.as_str()))
        .one(transaction)
        .await?;
    let Some(owner) = owner else {
        return Ok(Insertion::IdTaken);
    };
    let number = owner.number;
    if to_link(owner, &[])?.status_at(now) == LinkStatus::Active {
        return Ok(Insertion::SlugTaken);
    }
    link::Entity::delete_by_id(number).exec(transaction).await?;
    // Beaten by another writer who found the slug just as free, or by a link
    // that has the identifier.
    if insert_row(transaction, new).await? {
        return Ok(Insertion::Stored);
    }
    let id_in_use = link::Entity::find()
        .filter(link::Column::Id.eq(new.id.as_str()))
        .one(transaction)
        .await?
        .is_some();
    Ok(if id_in_use {
        Insertion::IdTaken
    } else {
        Insertion::SlugTaken
    })
}

/// Inserts the link and its tags unless its slug or id is in use.
pub(crate) async fn insert_row(
    transaction: &DatabaseTransaction,
    new: &Link,
) -> Result<bool, DbErr> {
    let inserted = link::Entity::insert(to_new_row(new))
        .on_conflict(OnConflict::new().do_nothing().to_owned())
        .exec_without_returning(transaction)
        .await?;
    if inserted == 0 {
        return Ok(false);
    }
    insert_tags(transaction, new).await?;
    Ok(true)
}

async fn insert_tags(transaction: &DatabaseTransaction, link: &Link) -> Result<(), DbErr> {
    let tags = tag_rows(link);
    if !tags.is_empty() {
        tag::Entity::insert_many(tags.into_iter().map(IntoActiveModel::into_active_model))
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(())
}

/// Every tag with the number of its links.
pub(crate) fn count_tags() -> Select<tag::Entity> {
    tag::Entity::find()
        .select_only()
        .column(tag::Column::Tag)
        .column_as(tag::Column::LinkId.count(), "links")
        .group_by(tag::Column::Tag)
        .order_by(tag::Column::Tag, Order::Asc)
}

pub(crate) fn select_page(query: &ListQuery) -> Select<link::Entity> {
    let mut select = link::Entity::find().limit(u64::from(query.limit));
    if let Some(tag) = &query.tag {
        select = select.filter(with_tag(tag));
    }
    select = select.filter(with_status(query.status, query.now));
    if let Some(place) = &query.after {
        select = select.filter(after(query.order, place));
    }
    let (created, slug) = (link::Column::CreatedAt, link::Column::Slug);
    match query.order {
        LinkOrder::Newest => select
            .order_by(created, Order::Desc)
            .order_by(slug, Order::Asc),
        LinkOrder::Oldest => select
            .order_by(created, Order::Asc)
            .order_by(slug, Order::Asc),
        LinkOrder::SlugAscending => select.order_by(slug, Order::Asc),
        LinkOrder::SlugDescending => select.order_by(slug, Order::Desc),
    }
}

/// The links after a place. The first condition on `created_at` repeats what
/// the second implies, because it alone tells the planner where to start in the
/// index.
fn after(order: LinkOrder, place: &Position) -> Condition {
    let (created, slug) = (link::Column::CreatedAt, link::Column::Slug);
    let (second, text) = (place.created_at.get(), place.slug.as_str());
    match order {
        LinkOrder::Newest => Condition::all()
            .add(created.lte(second))
            .add(Condition::any().add(created.lt(second)).add(slug.gt(text))),
        LinkOrder::Oldest => Condition::all()
            .add(created.gte(second))
            .add(Condition::any().add(created.gt(second)).add(slug.gt(text))),
        LinkOrder::SlugAscending => Condition::all().add(slug.gt(text)),
        LinkOrder::SlugDescending => Condition::all().add(slug.lt(text)),
    }
}

/// Reads links and, in a second statement, the tags of all of them.
async fn with_tags(
    connection: &impl ConnectionTrait,
    select: Select<link::Entity>,
) -> Result<Vec<Link>, Failure> {
    let rows = select.all(connection).await?;
    let mut tags: HashMap<String, Vec<String>> = HashMap::new();
    if !rows.is_empty() {
        let ids = rows.iter().map(|row| row.id.as_str());
        let of_rows = tag::Entity::find().filter(tag::Column::LinkId.is_in(ids));
        for row in of_rows.all(connection).await? {
            tags.entry(row.link_id).or_default().push(row.tag);
        }
    }
    let to_link = |row: link::Model| {
        let own = tags.remove(&row.id).unwrap_or_default();
        Ok(to_link(row, &own)?)
    };
    rows.into_iter().map(to_link).collect()
}

pub(crate) fn to_new_row(link: &Link) -> link::ActiveModel {
    link::ActiveModel {
        number: ActiveValue::NotSet,
        ..to_row(link).into_active_model()
    }
}

fn tag_count(tag: &str, links: i64) -> Result<TagCount, Failure> {
    Ok(TagCount {
        tag: Tag::parse(tag)?,
        links: u64::try_from(links).unwrap_or(0),
    })
}

/// Why a statement did not work out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Database(#[from] DbErr),
    #[error(transparent)]
    BadRow(#[from] BadRow),
    #[error("a link holds a wrong tag")]
    BadTag(#[from] slugline_domain::TagError),
    #[error("others took the same slugs again and again")]
    Contended,
    #[error("a link holds a wrong id")]
    BadId(#[from] slugline_domain::LinkIdError),
    #[error("a run of the migration holds a wrong number")]
    BadRun,
    #[error("other links have both ids of a link that is to be moved")]
    NoIdLeft,
}

pub(crate) fn failing_to(action: &'static str) -> impl Fn(Failure) -> StoreError {
    move |failure| StoreError {
        action,
        source: failure.into(),
    }
}
