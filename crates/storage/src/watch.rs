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
    failure::{Failure, failing_to},
    links::SqlLinkStore,
    session::{Applied, Mutation, Read, Session},
};

#[async_trait]
impl WatchStore for SqlLinkStore {
    async fn lead(
        &self,
        lease: WatchLease,
        now: UnixMillis,
        round: Option<WatchRound>,
    ) -> Result<Option<WatchTurn>, StoreError> {
        let led = self.database.change(Lead { lease, now, round }).await;
        led.map_err(failing_to("take the lease of the watch"))
    }

    async fn due(
        &self,
        after: i64,
        until: i64,
        failed_until: UnixSeconds,
        limit: u32,
    ) -> Result<WatchedPiece, StoreError> {
        let due = Due {
            after,
            until,
            failed_until,
            limit,
        };
        let due = self.database.read(due).await;
        due.map_err(failing_to("read which destinations are due"))
    }

    async fn record(
        &self,
        watcher: i64,
        link: &Link,
        failing: Option<&Failing>,
    ) -> Result<bool, StoreError> {
        let record = Record {
            watcher,
            link: link.id.to_string(),
            destination: link.content.destination.to_string(),
            failing: failing.cloned(),
        };
        let recorded = self.database.change(record).await;
        recorded.map_err(failing_to("record what a destination answered"))
    }

    async fn broken(&self, links: &[&Link]) -> Result<HashMap<LinkId, Failing>, StoreError> {
        let asked = links.iter();
        let asked = asked.map(|link| (link.id.clone(), link.content.destination.to_string()));
        let broken = self.database.read(Broken(asked.collect())).await;
        broken.map_err(failing_to("read which destinations are broken"))
    }
}

struct Lead {
    lease: WatchLease,
    now: UnixMillis,
    round: Option<WatchRound>,
}

impl Mutation for Lead {
    type Answer = Option<WatchTurn>;

    /// No cache holds what the watch keeps.
    const IS_CACHED: bool = false;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Self::Answer>, Failure> {
        use watch_round::{ActiveModel, Column, Entity, Model};

        let Self { lease, now, round } = self;
        let mut may_lead = Condition::any().add(Column::Watcher.eq(lease.watcher));
        let mut row = ActiveModel {
            watcher: ActiveValue::Set(lease.watcher),
            leased_until: ActiveValue::Set(lease.until.get()),
            ..ActiveModel::default()
        };
        if let Some(round) = round {
            row.started_at = ActiveValue::Set(Some(round.started_at.get()));
            row.position = ActiveValue::Set(round.position);
        } else {
            may_lead = may_lead.add(Column::LeasedUntil.lte(now.get()));
        }
        let take = Entity::update_many().set(row).filter(may_lead);
        if session.execute(&take).await? == 0 {
            return Ok(Applied::Commit(None));
        }
        let row = session.first::<Model>(&Entity::find()).await?;
        let last = link::Entity::find()
            .select_only()
            .column(link::Column::Number)
            .order_by_desc(link::Column::Number)
            .limit(1);
        Ok(Applied::Commit(Some(WatchTurn {
            round: row.and_then(|row| row.round()),
            last: session.first::<i64>(&last).await?.unwrap_or(0),
        })))
    }
}

struct Due {
    after: i64,
    until: i64,
    failed_until: UnixSeconds,
    limit: u32,
}

impl Read for Due {
    type Answer = WatchedPiece;

    async fn read<S: Session>(&self, session: &S) -> Result<WatchedPiece, Failure> {
        let limit = u64::from(self.limit);
        let doubtful = Entity::find()
            .filter(Column::Times.lt(Failing::BROKEN_AFTER))
            .filter(Column::CheckedAt.lte(self.failed_until.get()))
            .order_by_asc(Column::CheckedAt)
            .limit(limit);
        let doubtful = session.all::<Model>(&doubtful).await?;
        let mut piece = Vec::new();
        if self.after < self.until {
            let select = link::select()
                .filter(link::Column::Number.gt(self.after))
                .filter(link::Column::Number.lte(self.until))
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
            position: last.unwrap_or(self.after.max(self.until)),
        })
    }
}

struct Record {
    watcher: i64,
    link: String,
    destination: String,
    failing: Option<Failing>,
}

impl Mutation for Record {
    type Answer = bool;

    const IS_CACHED: bool = false;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<bool>, Failure> {
        // The locks keep the lease from being taken, and the link from being changed, before the
        // row is there. SQLite has one writer and ignores them.
        let lease = watch_round::Entity::find()
            .select_only()
            .column(watch_round::Column::Position)
            .filter(watch_round::Column::Watcher.eq(self.watcher))
            .lock(LockType::Share);
        let link = link::Entity::find()
            .select_only()
            .column(link::Column::Number)
            .filter(link::Column::Id.eq(&*self.link))
            .filter(link::Column::Destination.eq(&*self.destination))
            .lock(LockType::Share);
        let leads = session.first::<i64>(&lease).await?.is_some();
        if !leads || session.first::<i64>(&link).await?.is_none() {
            return Ok(Applied::Commit(false));
        }
        let before = Entity::delete_many().filter(Column::LinkId.eq(&*self.link));
        session.execute(&before).await?;
        if let Some(failing) = &self.failing {
            let (status, reason) = match &failing.answer {
                BadAnswer::Status(status) => (Some(i64::from(*status)), None),
                BadAnswer::Nothing(reason) => (None, Some(reason.to_string())),
            };
            let row = watch::ActiveModel {
                link_id: ActiveValue::Set(self.link.clone()),
                destination: ActiveValue::Set(self.destination.clone()),
                since: ActiveValue::Set(failing.since.get()),
                checked_at: ActiveValue::Set(failing.checked_at.get()),
                times: ActiveValue::Set(failing.times.into()),
                status: ActiveValue::Set(status),
                reason: ActiveValue::Set(reason),
            };
            session.execute(&Entity::insert(row)).await?;
        }
        Ok(Applied::Commit(true))
    }
}

fn is_doubtful(row: &Model) -> bool {
    row.times < i64::from(Failing::BROKEN_AFTER)
}

/// The identities of links, and their destinations.
struct Broken(HashMap<LinkId, String>);

impl Read for Broken {
    type Answer = HashMap<LinkId, Failing>;

    async fn read<S: Session>(&self, session: &S) -> Result<Self::Answer, Failure> {
        let asked = self.0.keys().map(LinkId::as_str);
        let select = Entity::find()
            .filter(Column::LinkId.is_in(asked))
            .filter(Column::Times.gte(Failing::BROKEN_AFTER));
        let rows = session.all::<Model>(&select).await?;
        let broken = rows.into_iter().filter_map(|row| {
            let id = LinkId::parse(&row.link_id).ok()?;
            let failing = row.failing(self.0.get(&id)?)?;
            Some((id, failing))
        });
        Ok(broken.collect())
    }
}
