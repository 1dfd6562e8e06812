//! The timetable of the watch of destinations, and what it found.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use sea_orm::{
    ActiveValue, ColumnTrait, DbBackend, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    Statement,
    sea_query::{LockType, OnConflict},
};
use slugline_domain::{
    BadAnswer, DueLink, Enrolment, Failing, Link, LinkId, UnixMillis, WatchClaim, Watched,
    host_to_ask,
    ports::{StoreError, WatchStore},
};

use crate::{
    entity::{
        link,
        watch::{self, Column, Entity, Model},
    },
    failure::{Failure, failing_to},
    links::SqlLinkStore,
    session::{Applied, Change, Columns, Read, Row, Session},
};

#[async_trait]
impl WatchStore for SqlLinkStore {
    async fn enrol(
        &self,
        after: i64,
        moments: &[UnixMillis],
        latest: UnixMillis,
    ) -> Result<Enrolment, StoreError> {
        let enrol = Enrol {
            after,
            moments: moments.to_vec(),
            latest,
        };
        let enrolled = self.database.change(enrol).await;
        enrolled.map_err(failing_to("put links on the timetable"))
    }

    async fn claim(
        &self,
        now: UnixMillis,
        until: UnixMillis,
        limit: usize,
    ) -> Result<Vec<DueLink>, StoreError> {
        let claimed = self.database.change(Claim { now, until, limit }).await;
        claimed.map_err(failing_to("claim destinations"))
    }

    async fn record(&self, claim: &WatchClaim, found: &Watched) -> Result<bool, StoreError> {
        let record = Record(claim.clone(), found.clone());
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

/// The number and the identity of a link, and its destination.
struct Numbered(i64, String, String);

impl Row for Numbered {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        Ok(Self(columns.number(0)?, columns.text(1)?, columns.text(2)?))
    }
}

struct Enrol {
    after: i64,
    moments: Vec<UnixMillis>,
    latest: UnixMillis,
}

impl Change for Enrol {
    type Answer = Enrolment;

    /// No cache holds the timetable.
    const IS_CACHED: bool = false;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Enrolment>, Failure> {
        let Self {
            after,
            moments,
            latest,
        } = self;
        if let (0, Some(soon)) = (after, moments.first()) {
            let row = watch::ActiveModel {
                next_at: ActiveValue::Set(soon.get()),
                ..watch::ActiveModel::default()
            };
            let late = Entity::update_many()
                .set(row)
                .filter(Column::NextAt.gt(latest.get()));
            session.execute(&late).await?;
        }
        let limit = u64::try_from(moments.len()).unwrap_or(u64::MAX);
        // The lock keeps links from being deleted before their rows are there. SQLite has one
        // writer and ignores it.
        let select = link::Entity::find()
            .select_only()
            .columns([
                link::Column::Number,
                link::Column::Id,
                link::Column::Destination,
            ])
            .filter(link::Column::Number.gt(*after))
            .order_by_asc(link::Column::Number)
            .limit(limit)
            .lock(LockType::KeyShare);
        let links = session.all::<Numbered>(&select).await?;
        let position = links.last().map_or(*after, |Numbered(number, ..)| *number);
        let more = links.len() == moments.len() && !links.is_empty();
        let rows: Vec<watch::ActiveModel> = links
            .into_iter()
            .zip(moments.iter().copied())
            .map(|(link, moment)| to_row(link, moment))
            .collect();
        if !rows.is_empty() {
            let insert =
                Entity::insert_many(rows).on_conflict(OnConflict::new().do_nothing().to_owned());
            session.execute(&insert).await?;
        }
        Ok(Applied::Keep(Enrolment { position, more }))
    }
}

/// The row of a link that is first asked at this moment.
fn to_row(Numbered(_, id, destination): Numbered, moment: UnixMillis) -> watch::ActiveModel {
    watch::ActiveModel {
        link_id: ActiveValue::Set(id),
        host: ActiveValue::Set(host_to_ask(&destination)),
        next_at: ActiveValue::Set(moment.get()),
        ..watch::ActiveModel::default()
    }
}

struct Claim {
    now: UnixMillis,
    until: UnixMillis,
    limit: usize,
}

impl Claim {
    /// The links that one call looks at.
    const WINDOW: u64 = 200;
}

impl Change for Claim {
    type Answer = Vec<DueLink>;

    const IS_CACHED: bool = false;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Vec<DueLink>>, Failure> {
        let Self { now, until, limit } = self;
        if session.backend() == DbBackend::Postgres {
            // Two nodes that claim at once would not see each other's claims.
            let lock = "SELECT pg_advisory_xact_lock(1936487784)";
            session
                .run(Statement::from_string(DbBackend::Postgres, lock))
                .await?;
        }
        let busy = Entity::find()
            .select_only()
            .column(Column::Host)
            .filter(Column::ClaimedUntil.gt(now.get()));
        let mut busy: HashSet<String> = session.all::<String>(&busy).await?.into_iter().collect();
        // Without the hosts that are asked already, whose links would hide those of others.
        let due = Entity::find()
            .filter(Column::NextAt.lte(now.get()))
            .filter(Column::ClaimedUntil.lte(now.get()))
            .filter(Column::Host.is_not_in(busy.iter().cloned()))
            .order_by_asc(Column::NextAt)
            .limit(Self::WINDOW);
        let due = session.all::<Model>(&due).await?;
        let ids = due.iter().map(|row| row.link_id.as_str());
        let links = link::select().filter(link::Column::Id.is_in(ids));
        let links = session.all::<link::Model>(&links).await?;
        let links = links.into_iter().map(link::to_link);
        let links = links.collect::<Result<Vec<Link>, _>>()?;
        let mut links: HashMap<String, Link> = links
            .into_iter()
            .map(|link| (link.id.to_string(), link))
            .collect();

        let mut claimed = Vec::new();
        for row in due {
            let Some(link) = links.remove(&row.link_id) else {
                continue;
            };
            let destination = link.content.destination.as_str();
            let host = host_to_ask(destination);
            let is_claimed = claimed.len() < *limit && busy.insert(host.clone());
            let is_moved = row.host != host;
            if is_claimed || is_moved {
                let mut change = watch::ActiveModel::default();
                if is_claimed {
                    change.claimed_until = ActiveValue::Set(until.get());
                }
                if is_moved {
                    change.host = ActiveValue::Set(host);
                }
                let update = Entity::update_many()
                    .set(change)
                    .filter(Column::LinkId.eq(&*row.link_id));
                session.execute(&update).await?;
            }
            if !is_claimed {
                continue;
            }
            claimed.push(DueLink {
                finding: row.finding(destination),
                claim: WatchClaim {
                    link: link.id.clone(),
                    until: *until,
                },
                link,
            });
        }
        Ok(Applied::Keep(claimed))
    }
}

struct Record(WatchClaim, Watched);

impl Change for Record {
    type Answer = bool;

    const IS_CACHED: bool = false;

    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<bool>, Failure> {
        let Self(claim, found) = self;
        let failing = found.finding.failing();
        let validator = found.finding.validator();
        let (status, reason) = match failing.map(|failing| &failing.answer) {
            None => (None, None),
            Some(BadAnswer::Status(status)) => (Some(i64::from(*status)), None),
            Some(BadAnswer::Nothing(reason)) => (None, Some(reason.to_string())),
        };
        let row = watch::ActiveModel {
            next_at: ActiveValue::Set(found.next_at.get()),
            claimed_until: ActiveValue::Set(found.rests_until.get()),
            destination: ActiveValue::Set(Some(found.destination.to_string())),
            since: ActiveValue::Set(failing.map(|failing| failing.since.get())),
            checked_at: ActiveValue::Set(failing.map(|failing| failing.checked_at.get())),
            times: ActiveValue::Set(failing.map_or(0, |failing| failing.times.into())),
            status: ActiveValue::Set(status),
            reason: ActiveValue::Set(reason),
            validator: ActiveValue::Set(validator.map(|text| text.as_str().to_owned())),
            ..watch::ActiveModel::default()
        };
        let record = Entity::update_many()
            .set(row)
            .filter(Column::LinkId.eq(claim.link.as_str()))
            .filter(Column::ClaimedUntil.eq(claim.until.get()));
        Ok(Applied::Keep(session.execute(&record).await? > 0))
    }
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
            let finding = row.finding(self.0.get(&id)?);
            Some((id, finding.failing()?.clone()))
        });
        Ok(broken.collect())
    }
}
