//! Schema steps of the links database.
//!
//! Only this crate changes the schema; `storage` never does. This crate knows SQL but not the
//! meaning of links, and it never reads a row. Its `README.md` explains how to write a step.

mod m0001_links;
mod m0002_search;
mod m0003_link_migration;
mod m0004_search_queue;
mod m0005_revisions;
mod m0006_announcements;
mod m0007_outbox;
mod m0008_tokens;
mod m0009_audit;

use sea_orm_migration::{
    prelude::*,
    sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement, TransactionTrait},
};
use thiserror::Error;

/// Brings the schema up to date. Several nodes may call it at the same time:
/// the first takes a lock and does the work; the others wait and then find it
/// done. All steps commit together or not at all.
///
/// On SQLite the connection must be a single one, not a pool.
///
/// # Errors
/// The database refused a step or the lock, or a later version applied steps that this one does
/// not know.
pub async fn run(database: &DatabaseConnection) -> Result<(), SchemaError> {
    if database.get_database_backend() == DbBackend::Sqlite {
        run_on_sqlite(database).await
    } else {
        run_on_postgres(database).await
    }
}

/// The schema does not match this version.
#[derive(Debug, Error)]
pub enum SchemaError {
    /// A later version applied these steps. This version might misread its data.
    #[error(
        "a later version of Slugline has changed the schema ({}); start that version, or restore \
         a backup from before",
        .0.join(", ")
    )]
    Later(Vec<String>),
    /// The database failed or refused.
    #[error(transparent)]
    Database(#[from] DbErr),
}

/// Runs `BEGIN` and `COMMIT` as plain statements. The adapter behind the
/// connection can report a failed statement, but not a failed commit of
/// sea-orm's.
async fn run_on_sqlite(database: &DatabaseConnection) -> Result<(), SchemaError> {
    // SQLite's single write lock serves as our lock.
    database.execute_unprepared("BEGIN IMMEDIATE").await?;
    let outcome = async {
        refuse_later_steps(database).await?;
        Steps::up(database, None).await?;
        database.execute_unprepared("COMMIT").await?;
        Ok::<(), SchemaError>(())
    };
    match outcome.await {
        Ok(()) => Ok(()),
        Err(error) => {
            // SQLite may have rolled back already; the first error says why.
            let _ = database.execute_unprepared("ROLLBACK").await;
            Err(error)
        }
    }
}

async fn run_on_postgres(database: &DatabaseConnection) -> Result<(), SchemaError> {
    let transaction = database.begin().await?;
    // The commit releases the lock. The number is arbitrary: "slug" in ASCII.
    transaction
        .execute_unprepared("SELECT pg_advisory_xact_lock(1936487783)")
        .await?;
    refuse_later_steps(&transaction).await?;
    Steps::up(&transaction, None).await?;
    Ok(transaction.commit().await?)
}

/// The number of steps that the schema is behind. Changes nothing.
///
/// # Errors
/// The database cannot be read, or a later version applied steps that this one does not know.
pub async fn pending(database: &DatabaseConnection) -> Result<usize, SchemaError> {
    // Listing the applied steps would create their table.
    if !has_begun(database).await? {
        return Ok(Steps::migrations().len());
    }
    refuse_later_steps(database).await?;
    Ok(Steps::get_pending_migrations(database).await?.len())
}

async fn refuse_later_steps(connection: &impl ConnectionTrait) -> Result<(), SchemaError> {
    let known = Steps::migrations();
    let taken = Steps::get_migration_models(connection).await?;
    let taken = taken.into_iter().map(|step| step.version);
    let unknown: Vec<String> = taken
        .filter(|name| known.iter().all(|step| step.name() != name))
        .collect();
    if unknown.is_empty() {
        Ok(())
    } else {
        Err(SchemaError::Later(unknown))
    }
}

/// Returns whether any step was ever applied.
async fn has_begun(database: &DatabaseConnection) -> Result<bool, DbErr> {
    let backend = database.get_database_backend();
    if backend != DbBackend::Sqlite {
        return SchemaManager::new(database)
            .has_table("seaql_migrations")
            .await;
    }
    let table = "SELECT name FROM sqlite_schema WHERE name = 'seaql_migrations'";
    let found = database
        .query_one_raw(Statement::from_string(backend, table))
        .await?;
    Ok(found.is_some())
}

struct Steps;

#[async_trait::async_trait]
impl MigratorTrait for Steps {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_links::Step),
            Box::new(m0002_search::Step),
            Box::new(m0003_link_migration::Step),
            Box::new(m0004_search_queue::Step),
            Box::new(m0005_revisions::Step),
            Box::new(m0006_announcements::Step),
            Box::new(m0007_outbox::Step),
            Box::new(m0008_tokens::Step),
            Box::new(m0009_audit::Step),
        ]
    }
}
