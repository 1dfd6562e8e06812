//! How far the migration has come, in the same transactions as its links.

use async_trait::async_trait;
use sea_orm::{
    ActiveValue, ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, IntoActiveModel,
    Order, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, OnConflict},
};
use slugline_domain::{
    Advance, EntryFault, EntryKey, FailedEntry, Link, MigrationRun, MigrationState, MigrationStep,
    MovedLink, OldPlace, Tally, UnixSeconds,
    ports::{MigrationStore, StoreError},
};

use crate::{
    SqlLinkStore,
    entity::{link, migration_failure, migration_run},
    links::{Failure, failing_to, insert_row},
};

#[async_trait]
impl MigrationStore for SqlLinkStore {
    async fn state(&self) -> Result<MigrationState, StoreError> {
        let read = async {
            let latest_first =
                migration_run::Entity::find().order_by(migration_run::Column::Number, Order::Desc);
            let reader = self.database.reader();
            let latest = latest_first.clone().one(reader).await?;
            let ended = migration_run::Column::EndedAt.is_not_null();
            let completed = latest_first.filter(ended).one(reader).await?;
            Ok(MigrationState {
                latest: latest.map(to_run).transpose()?,
                completed: completed.map(to_run).transpose()?,
            })
        };
        read.await.map_err(failing_to("read the migration's state"))
    }

    async fn begin(&self, after: Option<u32>, now: UnixSeconds) -> Result<bool, StoreError> {
        let attempt = async {
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
            // Whoever came first has taken the number.
            let inserted = migration_run::Entity::insert(row.into_active_model())
                .on_conflict(OnConflict::new().do_nothing().to_owned())
                .exec_without_returning(self.database.writer())
                .await?;
            Ok(inserted > 0)
        };
        attempt.await.map_err(failing_to("begin the migration"))
    }

    async fn advance(&self, step: &MigrationStep) -> Result<Advance, StoreError> {
        let attempt = async {
            let transaction = SqlLinkStore::begin(self).await?;
            let Some(before) = take(&transaction, step).await? else {
                transaction.rollback().await?;
                return Ok(Advance::Overtaken);
            };
            let mut inserted = 0;
            for moved in &step.links {
                if insert_moved(&transaction, moved).await? {
                    inserted += 1;
                }
            }
            let skipped = length(&step.links) - inserted;
            count(&transaction, step, inserted, skipped).await?;
            remember_failures(&transaction, step, before.tally.failed).await?;
            transaction.commit().await?;
            Ok(Advance::Done { inserted, skipped })
        };
        attempt.await.map_err(failing_to("move links"))
    }

    async fn failures(&self, run: u32) -> Result<Vec<FailedEntry>, StoreError> {
        let read = async {
            let rows = migration_failure::Entity::find()
                .filter(migration_failure::Column::Run.eq(run))
                .order_by(migration_failure::Column::Position, Order::Asc)
                .limit(u64::from(FailedEntry::MAX_KEPT))
                .all(self.database.reader())
                .await?;
            let entry = |row: migration_failure::Model| FailedEntry {
                key: EntryKey::new(&row.entry_key),
                reason: EntryFault::new(&row.reason),
            };
            Ok(rows.into_iter().map(entry).collect())
        };
        read.await.map_err(failing_to("read what failed to move"))
    }
}

/// Claims the page, so that of several who are about to do it the first goes on
/// and the others wait for it here and find it done. Gives the run as it was.
async fn take(
    transaction: &DatabaseTransaction,
    step: &MigrationStep,
) -> Result<Option<MigrationRun>, Failure> {
    let (number, pages) = (migration_run::Column::Number, migration_run::Column::Pages);
    let ended_at = step.next.is_none().then(|| step.now.get());
    let taken = migration_run::Entity::update_many()
        .col_expr(pages, Expr::value(i64::from(step.page) + 1))
        .col_expr(
            migration_run::Column::Next,
            Expr::value(step.next.as_ref().map(|place| place.as_str().to_owned())),
        )
        .col_expr(migration_run::Column::EndedAt, Expr::value(ended_at))
        .filter(number.eq(step.run))
        .filter(pages.eq(step.page))
        .filter(migration_run::Column::EndedAt.is_null())
        .exec(transaction)
        .await?;
    let latest = migration_run::Entity::find()
        .order_by(number, Order::Desc)
        .one(transaction)
        .await?;
    let latest = latest.map(to_run).transpose()?;
    Ok(latest.filter(|run| taken.rows_affected > 0 && run.number == step.run))
}

/// Inserts the link unless its slug is in use.
async fn insert_moved(
    transaction: &DatabaseTransaction,
    moved: &MovedLink,
) -> Result<bool, Failure> {
    if insert_row(transaction, &moved.link).await? {
        return Ok(true);
    }
    if slug_in_use(transaction, &moved.link).await? {
        return Ok(false);
    }
    let renamed = Link {
        id: moved.spare_id.clone(),
        ..moved.link.clone()
    };
    if insert_row(transaction, &renamed).await? {
        return Ok(true);
    }
    Err(Failure::NoIdLeft)
}

async fn slug_in_use(transaction: &impl ConnectionTrait, link: &Link) -> Result<bool, Failure> {
    let owner = link::Entity::find()
        .select_only()
        .column(link::Column::Number)
        .filter(link::Column::Slug.eq(link.slug.as_str()))
        .into_tuple::<i64>()
        .one(transaction)
        .await?;
    Ok(owner.is_some())
}

async fn count(
    transaction: &DatabaseTransaction,
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
    update.exec(transaction).await?;
    Ok(())
}

async fn remember_failures(
    transaction: &DatabaseTransaction,
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
        migration_failure::Entity::insert_many(rows)
            .exec_without_returning(transaction)
            .await?;
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
        next: row.next.map(OldPlace::new),
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
