//! The answers to requests that clients may send again. `receipt_lines` writes them.

use async_trait::async_trait;
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{LockBehavior, LockType},
};
use slugline_domain::{
    IdempotencyKey, KeptAnswer, KeptRequest, RequestClaim, UnixMillis,
    ports::{ReceiptStore, StoreError},
};

use crate::{
    entity::receipt::{self, Column, Entity, Model},
    links::SqlLinkStore,
    receipt_lines::{Write, is_taken_until},
    session::{Applied::Commit, Session},
};

#[async_trait]
impl ReceiptStore for SqlLinkStore {
    async fn kept(
        &self,
        caller: &str,
        key: &IdempotencyKey,
        now: UnixMillis,
    ) -> Result<Option<KeptRequest>, StoreError> {
        let select = Entity::find()
            .filter(of_key(caller, key))
            .filter(Column::EndsAt.gt(now.get()));
        let find = async move |session: &Session<'_>| {
            let row = session.first::<Model>(&select).await?;
            row.map(receipt::to_kept).transpose()
        };
        self.database
            .read_at_once("find the answer to a request", find)
            .await
    }

    async fn take(&self, claim: &RequestClaim, until: UnixMillis) -> Result<bool, StoreError> {
        let write = Write {
            claim: claim.clone(),
            answer: None,
            until,
            taken_until: None,
        };
        self.write("take the key of a request", write).await
    }

    async fn keep(
        &self,
        claim: &RequestClaim,
        answer: &KeptAnswer,
        taken_until: Option<UnixMillis>,
    ) -> Result<bool, StoreError> {
        let write = Write {
            claim: claim.clone(),
            answer: Some(answer.clone()),
            until: claim.kept_until(),
            taken_until,
        };
        self.write("keep the answer to a request", write).await
    }

    async fn release(
        &self,
        claim: &RequestClaim,
        taken_until: UnixMillis,
    ) -> Result<(), StoreError> {
        let delete = Entity::delete_many()
            .filter(of_key(&claim.caller, &claim.key))
            .filter(is_taken_until(taken_until));
        let release = async move |session: &Session<'_>| {
            session.execute(&delete).await?;
            Ok(Commit(()))
        };
        let action = "free the key of a request";
        self.database.change_uncached(action, release).await
    }

    async fn remove_free(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        // Two nodes select different keys. SQLite has one writer and ignores the lock. A body may
        // have megabytes, and stays unread.
        let free = Entity::find()
            .select_only()
            .columns([Column::Caller, Column::Key])
            .filter(Column::EndsAt.lte(moment.get()))
            .limit(u64::from(limit))
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
        let remove = async move |session: &Session<'_>| {
            let mut removed = 0;
            for (caller, key) in session.all::<(String, String)>(&free).await? {
                let delete = Entity::delete_many()
                    .filter(Column::Caller.eq(caller))
                    .filter(Column::Key.eq(key));
                removed += session.execute(&delete).await?;
            }
            Ok(Commit(removed))
        };
        let action = "remove the answers to old requests";
        self.database.change_uncached(action, remove).await
    }
}

impl SqlLinkStore {
    async fn write(&self, action: &'static str, write: Write) -> Result<bool, StoreError> {
        let write = async move |session: &Session<'_>| Ok(Commit(write.is_written(session).await?));
        self.database.change_uncached(action, write).await
    }
}

/// The row of a key.
fn of_key(caller: &str, key: &IdempotencyKey) -> Condition {
    Condition::all()
        .add(Column::Caller.eq(caller))
        .add(Column::Key.eq(key.as_str()))
}
