//! The progress of the migration, stored in the same transactions as its links.

use async_trait::async_trait;
use sea_orm::{
    ActiveValue, ColumnTrait, EntityTrait, IntoActiveModel, Order, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{Expr, ExprTrait, OnConflict},
};
use slugline_domain::{
    Advance, EntryFault, EntryKey, FailedEntry, Link, MigrationRun, MigrationState, MigrationStep,
    MovedLink, OldCursor, Tally, UnixSeconds,
    ports::{MigrationStore, StoreError},
};

use crate::{
    audit_lines::write_line,
    entity::{link, migration_failure, migration_run},
    failure::Failure,
    links::{SqlLinkStore, conditions::has_key, insert::insert_row},
    session::{
        Applied::{Commit, Rollback},
        Session,
    },
};

#[async_trait]
impl MigrationStore for SqlLinkStore {
    async fn state(&self) -> Result<MigrationState, StoreError> {
        let read = async move |session: &Session<'_>| {
            let latest_first =
                migration_run::Entity::find().order_by(migration_run::Column::Number, Order::Desc);
            let latest = latest_first.clone().limit(1);
            let latest = session.first::<migration_run::Model>(&latest).await?;
            let ended = migration_run::Column::EndedAt.is_not_null();
            let completed = latest_first.filter(ended).limit(1);
            let completed = session.first::<migration_run::Model>(&completed).await?;
            Ok(MigrationState {
                latest: latest.map(to_run).transpose()?,
                completed: completed.map(to_run).transpose()?,
            })
        };
        self.database.read("read the migration's state", read).await
    }

    async fn begin(&self, after: Option<u32>, now: UnixSeconds) -> Result<bool, StoreError> {
        let row = migration_run::Model {
            number: i64::from(after.unwrap_or(0)) + 1,
            pages: 0,
            next: None,
            scanned: 0,
            inserted: 0,
            skipped: 0,
            expired: 0,
            failed: 0,
            ignored: 0,
            began_at: now.get(),
            ended_at: None,
        };
        // Another process may have started the run first and taken the number.
        let insert = migration_run::Entity::insert(row.into_active_model())
            .on_conflict(OnConflict::new().do_nothing().to_owned());
        let begun = self.database.execute("begin the migration", insert).await;
        Ok(begun? > 0)
    }

    async fn advance(&self, step: &MigrationStep) -> Result<Advance, StoreError> {
        let step = step.clone();
        let advance = async move |session: &Session<'_>| {
            let Some(before) = claim_page(session, &step).await? else {
                return Ok(Rollback(Advance::Overtaken));
            };
            let mut inserted = 0;
            for moved in &step.links {
                if insert_moved(session, moved).await? {
                    write_line(session, &step.note, &moved.link.key).await?;
                    inserted += 1;
                }
            }
            let skipped = length(&step.links) - inserted;
            count(session, &step, inserted, skipped).await?;
            remember_failures(session, &step, before.tally.failed).await?;
            Ok(Commit(Advance::Done { inserted, skipped }))
        };
        self.database.change("move links", advance).await
    }

    async fn failures(&self, run: u32) -> Result<Vec<FailedEntry>, StoreError> {
        let select = migration_failure::Entity::find()
            .filter(migration_failure::Column::Run.eq(run))
            .order_by(migration_failure::Column::Position, Order::Asc)
            .limit(u64::from(FailedEntry::MAX_KEPT));
        let rows = self.database.rows("read what failed to move", select).await;
        let entry = |row: migration_failure::Model| FailedEntry {
            key: EntryKey::new(&row.entry_key),
            reason: EntryFault::new(&row.reason),
        };
        Ok(rows?.into_iter().map(entry).collect())
    }
}

/// Claims the page and returns the run, whose tally does not count it yet;
/// `None` if the page is already done or another run has started. Of several
/// processes that are about to do the page, the first goes on; the others wait
/// here until it is done.
async fn claim_page(
    session: &Session<'_>,
    step: &MigrationStep,
) -> Result<Option<MigrationRun>, Failure> {
    let (number, pages) = (migration_run::Column::Number, migration_run::Column::Pages);
    let ended_at = step.next.is_none().then(|| step.note.at.second().get());
    let update = migration_run::Entity::update_many()
        .col_expr(pages, Expr::value(i64::from(step.page) + 1))
        .col_expr(
            migration_run::Column::Next,
            Expr::value(step.next.as_ref().map(|cursor| cursor.as_str().to_owned())),
        )
        .col_expr(migration_run::Column::EndedAt, Expr::value(ended_at))
        .filter(number.eq(step.run))
        .filter(pages.eq(step.page))
        .filter(migration_run::Column::EndedAt.is_null());
    let claimed = session.execute(&update).await?;
    let latest = migration_run::Entity::find()
        .order_by(number, Order::Desc)
        .limit(1);
    let latest = session.first::<migration_run::Model>(&latest).await?;
    let latest = latest.map(to_run).transpose()?;
    Ok(latest.filter(|run| claimed > 0 && run.number == step.run))
}

/// Inserts the link unless its key is in use. It belongs to the default domain, as all links of older
/// stores, so no lookup of the domain is needed.
async fn insert_moved(session: &Session<'_>, moved: &MovedLink) -> Result<bool, Failure> {
    if insert_row(session, &moved.link).await? {
        return Ok(true);
    }
    if key_in_use(session, &moved.link).await? {
        return Ok(false);
    }
    let renamed = Link {
        id: moved.spare_id.clone(),
        ..moved.link.clone()
    };
    if insert_row(session, &renamed).await? {
        return Ok(true);
    }
    Err(Failure::NoIdLeft)
}

async fn key_in_use(session: &Session<'_>, link: &Link) -> Result<bool, Failure> {
    let owner = link::Entity::find()
        .select_only()
        .column(link::Column::Number)
        .filter(has_key(&link.key));
    Ok(session.first::<i64>(&owner).await?.is_some())
}

async fn count(
    session: &Session<'_>,
    step: &MigrationStep,
    inserted: u64,
    skipped: u64,
) -> Result<(), Failure> {
    use migration_run::Column;

    let failed = length(&step.failures);
    let scanned = inserted + skipped + step.expired + failed;
    let mut update = migration_run::Entity::update_many().filter(Column::Number.eq(step.run));
    for (column, more) in [
        (Column::Scanned, scanned),
        (Column::Inserted, inserted),
        (Column::Skipped, skipped),
        (Column::Expired, step.expired),
        (Column::Failed, failed),
        (Column::Ignored, step.ignored),
    ] {
        let more = i64::try_from(more).unwrap_or(i64::MAX);
        update = update.col_expr(column, Expr::col(column).add(more));
    }
    session.execute(&update).await?;
    Ok(())
}

async fn remember_failures(
    session: &Session<'_>,
    step: &MigrationStep,
    before: u64,
) -> Result<(), Failure> {
    let positions = before..u64::from(FailedEntry::MAX_KEPT);
    let rows: Vec<migration_failure::ActiveModel> = positions
        .zip(&step.failures)
        .map(|(position, failure)| migration_failure::ActiveModel {
            run: ActiveValue::Set(i64::from(step.run)),
            position: ActiveValue::Set(i64::try_from(position).unwrap_or(i64::MAX)),
            entry_key: ActiveValue::Set(failure.key.to_string()),
            reason: ActiveValue::Set(failure.reason.to_string()),
        })
        .collect();
    if !rows.is_empty() {
        let insert = migration_failure::Entity::insert_many(rows);
        session.execute(&insert).await?;
    }
    Ok(())
}

fn to_run(row: migration_run::Model) -> Result<MigrationRun, Failure> {
    let count = |number: i64| u64::try_from(number).map_err(|_| Failure::BadRun);
    let small = |number: i64| u32::try_from(number).map_err(|_| Failure::BadRun);
    let ended_at = row.ended_at.map(UnixSeconds::new).transpose();
    Ok(MigrationRun {
        number: small(row.number)?,
        pages: small(row.pages)?,
        next: row.next.map(OldCursor::new),
        tally: Tally {
            scanned: count(row.scanned)?,
            inserted: count(row.inserted)?,
            skipped: count(row.skipped)?,
            expired: count(row.expired)?,
            failed: count(row.failed)?,
            ignored: count(row.ignored)?,
        },
        ended_at: ended_at.map_err(|_| Failure::BadRun)?,
    })
}

fn length<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}
