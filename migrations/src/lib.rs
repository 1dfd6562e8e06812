//! Schema steps of the links database.
//!
//! Stands beside the floors: it knows SQL and nothing of links as such, so
//! that `storage` never changes a schema and this crate never reads a row.
//! `README.md` beside this crate says how a step is written.

mod m0001_links;
mod m0002_search;
mod m0003_link_migration;

use sea_orm_migration::{
    prelude::*,
    sea_orm::{
        ConnectionTrait, DatabaseConnection, DbBackend, SqliteTransactionMode, TransactionOptions,
        TransactionTrait,
    },
};

/// Brings the schema up to date. Several nodes may call it at the same time:
/// the first takes a lock and does the work, the others wait and find it done.
/// On SQLite and PostgreSQL all steps commit together or not at all.
///
/// # Errors
/// The database refused a step or the lock, or it was made by a newer version.
pub async fn run(database: &DatabaseConnection) -> Result<(), DbErr> {
    let options = TransactionOptions {
        // Takes SQLite's one write lock at once, which is our lock.
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let transaction = database.begin_with_options(options).await?;
    if transaction.get_database_backend() == DbBackend::Postgres {
        // Freed by the commit. The number is arbitrary; "slug" in ASCII.
        transaction
            .execute_unprepared("SELECT pg_advisory_xact_lock(1936487783)")
            .await?;
    }
    Steps::up(&transaction, None).await?;
    transaction.commit().await
}

/// How many steps the schema is behind. Nothing is changed.
///
/// # Errors
/// The database cannot be read, or it was made by a newer version.
pub async fn pending(database: &DatabaseConnection) -> Result<usize, DbErr> {
    // Asking for the steps that were taken would make the table of them.
    let begun = SchemaManager::new(database)
        .has_table("seaql_migrations")
        .await?;
    if !begun {
        return Ok(Steps::migrations().len());
    }
    Ok(Steps::get_pending_migrations(database).await?.len())
}

struct Steps;

#[async_trait::async_trait]
impl MigratorTrait for Steps {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m0001_links::Step),
            Box::new(m0002_search::Step),
            Box::new(m0003_link_migration::Step),
        ]
    }
}
