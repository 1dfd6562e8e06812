//! The lease and the round of the watch of destinations, and what it found.

use std::collections::HashMap;

use async_trait::async_trait;
use sea_orm::{
    ActiveValue, ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::LockType,
};
use slugline_domain::{
    BadAnswer, Failing, Link, LinkId, UnixMillis, UnixSeconds, WatchLease, WatchRound, WatchTurn,
    WatchedLink, WatchedPiece,
    ports::{StoreError, WatchStore},
};

use crate::{
    entity::{
        link,
        watch::{self, Column, Entity, Model},
        watch_round,
    },
    failure::Failure,
    links::SqlLinkStore,
    session::{Applied::Commit, Session},
};

#[async_trait]
impl WatchStore for SqlLinkStore {
    async fn lead(
        &self,
        lease: WatchLease,
        now: UnixMillis,
        round: Option<WatchRound>,
    ) -> Result<Option<WatchTurn>, StoreError> {
        let lead = async move |session: &Session<'_>| {
            let mut may_lead = Condition::any().add(watch_round::Column::Watcher.eq(lease.watcher));
            let mut row = watch_round::ActiveModel {
                watcher: ActiveValue::Set(lease.watcher),
                leased_until: ActiveValue::Set(lease.until.get()),
                ..watch_round::ActiveModel::default()
            };
            if let Some(round) = round {
                row.started_at = ActiveValue::Set(Some(round.started_at.get()));
                row.position = ActiveValue::Set(round.position);
            } else {
                may_lead = may_lead.add(watch_round::Column::LeasedUntil.lte(now.get()));
            }
            let take = watch_round::Entity::update_many().set(row).filter(may_lead);
            if session.execute(&take).await? == 0 {
                return Ok(Commit(None));
            }
            let row = session
                .first::<watch_round::Model>(&watch_round::Entity::find())
                .await?;
            let last = link::Entity::find()
                .select_only()
                .column(link::Column::Number)
                .order_by_desc(link::Column::Number)
                .limit(1);
            Ok(Commit(Some(WatchTurn {
                round: row.and_then(|row| row.round()),
                last: session.first::<i64>(&last).await?.unwrap_or(0),
            })))
        };
        let action = "take the lease of the watch";
        self.database.change_uncached(action, lead).await
    }

    async fn due(
        &self,
        after: i64,
        until: i64,
        failed_until: UnixSeconds,
        limit: u32,
    ) -> Result<WatchedPiece, StoreError> {
        let limit = u64::from(limit);
        let due = async move |session: &Session<'_>| {
            let doubtful = Entity::find()
                .filter(Column::Times.lt(Failing::BROKEN_AFTER))
                .filter(Column::CheckedAt.lte(failed_until.get()))
                .order_by_asc(Column::CheckedAt)
                .limit(limit);
            let doubtful = session.all::<Model>(&doubtful).await?;
            let mut piece = Vec::new();
            if after < until {
                let select = link::select()
                    .filter(link::Column::Number.gt(after))
                    .filter(link::Column::Number.lte(until))
                    .order_by_asc(link::Column::Number)
                    .limit(limit);
                piece = session.all::<link::Model>(&select).await?;
            }
            let is_full = u64::try_from(piece.len()) == Ok(limit);
            let last = piece.last().filter(|_| is_full).map(|link| link.number);
            let ids = piece.iter().map(|link| link.id.as_str());
            let known = Entity::find().filter(Column::LinkId.is_in(ids));
            let (later, known) = session
                .all::<Model>(&known)
                .await?
                .into_iter()
                .partition(is_doubtful);
            let later: Vec<Model> = later;
            // A first failure is looked at again when its time comes.
            piece.retain(|link| later.iter().all(|row| row.link_id != link.id));
            let ids = doubtful.iter().map(|row| row.link_id.as_str());
            let again = link::select().filter(link::Column::Id.is_in(ids));
            let again = session.all::<link::Model>(&again).await?;
            let rows = doubtful.into_iter().chain::<Vec<Model>>(known);
            let rows: HashMap<String, Model> = rows.map(|row| (row.link_id.clone(), row)).collect();
            let links = again.into_iter().chain(piece).map(|link| {
                let row = rows.get(&link.id);
                Ok(WatchedLink {
                    failing: row.and_then(|row| row.failing(&link.destination)),
                    is_kept: row.is_some(),
                    link: link::to_link(link)?,
                })
            });
            Ok(WatchedPiece {
                links: links.collect::<Result<_, Failure>>()?,
                position: last.unwrap_or(after.max(until)),
            })
        };
        self.database
            .read("read which destinations are due", due)
            .await
    }

    async fn record(
        &self,
        watcher: i64,
        link: &Link,
        failing: Option<&Failing>,
    ) -> Result<bool, StoreError> {
        let (link_id, destination) = (link.id.to_string(), link.content.destination.to_string());
        let failing = failing.cloned();
        let record = async move |session: &Session<'_>| {
            // The locks keep the lease from being taken, and the link from being changed, before the
            // row is there. SQLite has one writer and ignores them.
            let lease = watch_round::Entity::find()
                .select_only()
                .column(watch_round::Column::Position)
                .filter(watch_round::Column::Watcher.eq(watcher))
                .lock(LockType::Share);
            let link = link::Entity::find()
                .select_only()
                .column(link::Column::Number)
                .filter(link::Column::Id.eq(link_id.as_str()))
                .filter(link::Column::Destination.eq(destination.as_str()))
                .lock(LockType::Share);
            let leads = session.first::<i64>(&lease).await?.is_some();
            if !leads || session.first::<i64>(&link).await?.is_none() {
                return Ok(Commit(false));
            }
            let before = Entity::delete_many().filter(Column::LinkId.eq(link_id.as_str()));
            session.execute(&before).await?;
            if let Some(failing) = &failing {
                let (status, reason) = match &failing.answer {
                    BadAnswer::Status(status) => (Some(i64::from(*status)), None),
                    BadAnswer::Nothing(reason) => (None, Some(reason.to_string())),
                };
                let row = watch::ActiveModel {
                    link_id: ActiveValue::Set(link_id.clone()),
                    destination: ActiveValue::Set(destination.clone()),
                    since: ActiveValue::Set(failing.since.get()),
                    checked_at: ActiveValue::Set(failing.checked_at.get()),
                    times: ActiveValue::Set(failing.times.into()),
                    status: ActiveValue::Set(status),
                    reason: ActiveValue::Set(reason),
                };
                session.execute(&Entity::insert(row)).await?;
            }
            Ok(Commit(true))
        };
        let action = "record what a destination answered";
        self.database.change_uncached(action, record).await
    }

    async fn broken(&self, links: &[&Link]) -> Result<HashMap<LinkId, Failing>, StoreError> {
        let asked = links.iter().map(|link| link.id.as_str());
        let select = Entity::find()
            .filter(Column::LinkId.is_in(asked))
            .filter(Column::Times.gte(Failing::BROKEN_AFTER));
        let action = "read which destinations are broken";
        let rows = self.database.rows::<Model>(action, select).await?;
        let rows: HashMap<&str, &Model> = rows.iter().map(|row| (&*row.link_id, row)).collect();
        let broken = links.iter().filter_map(|link| {
            let row = rows.get(link.id.as_str())?;
            let failing = row.failing(&link.content.destination.to_string())?;
            Some((link.id.clone(), failing))
        });
        Ok(broken.collect())
    }
}

fn is_doubtful(row: &Model) -> bool {
    row.times < i64::from(Failing::BROKEN_AFTER)
}
