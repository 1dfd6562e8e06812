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
    failure::{Failure, failing_to},
    links::SqlLinkStore,
    receipt_lines::{Write, is_taken_until},
    session::{Applied, Columns, Mutation, Read, Row, Session},
};

#[async_trait]
impl ReceiptStore for SqlLinkStore {
    async fn kept(
        &self,
        caller: &str,
        key: &IdempotencyKey,
        now: UnixMillis,
    ) -> Result<Option<KeptRequest>, StoreError> {
        let (caller, key) = (caller.to_owned(), key.clone());
        let found = self.database.read_at_once(Find { caller, key, now }).await;
        found.map_err(failing_to("find the answer to a request"))
    }

    async fn take(&self, claim: &RequestClaim, until: UnixMillis) -> Result<bool, StoreError> {
        let take = Write {
            claim: claim.clone(),
            answer: None,
            until,
            taken_until: None,
        };
        let taken = self.database.change(take).await;
        taken.map_err(failing_to("take the key of a request"))
    }

    async fn keep(
        &self,
        claim: &RequestClaim,
        answer: &KeptAnswer,
        taken_until: Option<UnixMillis>,
    ) -> Result<bool, StoreError> {
        let keep = Write {
            claim: claim.clone(),
            answer: Some(answer.clone()),
            until: claim.kept_until(),
            taken_until,
        };
        let kept = self.database.change(keep).await;
        kept.map_err(failing_to("keep the answer to a request"))
    }

    async fn release(
        &self,
        claim: &RequestClaim,
        taken_until: UnixMillis,
    ) -> Result<(), StoreError> {
        let claim = claim.clone();
        let released = self.database.change(Release { claim, taken_until }).await;
        released.map_err(failing_to("free the key of a request"))
    }

    async fn remove_free(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        let removed = self.database.change(RemoveFree { moment, limit }).await;
        removed.map_err(failing_to("remove the answers to old requests"))
    }
}

struct Find {
    caller: String,
    key: IdempotencyKey,
    now: UnixMillis,
}

impl Read for Find {
    type Answer = Option<KeptRequest>;

    async fn read<S: Session>(&self, session: &S) -> Result<Self::Answer, Failure> {
        let select = Entity::find()
            .filter(of_key(&self.caller, &self.key))
            .filter(Column::EndsAt.gt(self.now.get()));
        let row = session.first::<Model>(&select).await?;
        row.map(receipt::to_kept).transpose()
    }
}

/// The row of a key.
fn of_key(caller: &str, key: &IdempotencyKey) -> Condition {
    Condition::all()
        .add(Column::Caller.eq(caller))
        .add(Column::Key.eq(key.as_str()))
}

impl Mutation for Write {
    type Answer = bool;

    const IS_CACHED: bool = false;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<bool>, Failure> {
        Ok(Applied::Commit(self.is_written(session).await?))
    }
}

struct Release {
    claim: RequestClaim,
    taken_until: UnixMillis,
}

impl Mutation for Release {
    type Answer = ();

    const IS_CACHED: bool = false;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<()>, Failure> {
        let delete = Entity::delete_many()
            .filter(of_key(&self.claim.caller, &self.claim.key))
            .filter(is_taken_until(self.taken_until));
        session.execute(&delete).await?;
        Ok(Applied::Commit(()))
    }
}

struct RemoveFree {
    moment: UnixMillis,
    limit: u32,
}

struct FreeKey {
    caller: String,
    key: String,
}

impl Row for FreeKey {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        Ok(Self {
            caller: columns.text(0)?,
            key: columns.text(1)?,
        })
    }
}

impl Mutation for RemoveFree {
    type Answer = u64;

    const IS_CACHED: bool = false;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<u64>, Failure> {
        // Two nodes select different keys. SQLite has one writer and ignores the lock. A body may
        // have megabytes, and stays unread.
        let free = Entity::find()
            .select_only()
            .columns([Column::Caller, Column::Key])
            .filter(Column::EndsAt.lte(self.moment.get()))
            .limit(u64::from(self.limit))
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
        let mut removed = 0;
        for FreeKey { caller, key } in session.all(&free).await? {
            let delete = Entity::delete_many()
                .filter(Column::Caller.eq(caller))
                .filter(Column::Key.eq(key));
            removed += session.execute(&delete).await?;
        }
        Ok(Applied::Commit(removed))
    }
}
