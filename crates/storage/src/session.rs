//! Reads and changes that run on either database.
//!
//! Entities and sea-query build each statement once. A [`Session`] runs it: on
//! SQLite at once (`sqlite`), on PostgreSQL through sea-orm (`postgres`).

use sea_orm::{DbBackend, QueryTrait, Statement};

#[cfg(feature = "postgres")]
use crate::postgres::statements::Statements as PostgresStatements;
#[cfg(feature = "sqlite")]
use crate::sqlite::statements::Statements as SqliteStatements;
use crate::{failure::Failure, row::Row};

/// Matches either kind of database: first SQLite, then PostgreSQL.
macro_rules! by_engine {
    ($Kinds:ident, $of:expr, $sqlite:pat => $first:expr, $postgres:pat => $second:expr $(,)?) => {
        match $of {
            #[cfg(feature = "sqlite")]
            $Kinds::Sqlite($sqlite) => $first,
            #[cfg(feature = "postgres")]
            $Kinds::Postgres($postgres) => $second,
        }
    };
}
pub(crate) use by_engine;

/// Runs statements, all of one transaction.
pub(crate) enum Session<'c> {
    #[cfg(feature = "sqlite")]
    Sqlite(SqliteStatements<'c>),
    #[cfg(feature = "postgres")]
    Postgres(PostgresStatements<'c>),
}

impl Session<'_> {
    /// The database's dialect.
    pub(crate) fn backend(&self) -> DbBackend {
        by_engine! { Session, self, _ => DbBackend::Sqlite, _ => DbBackend::Postgres }
    }

    /// Runs a statement and returns the number of rows that it changed.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(clippy::unused_async, reason = "PostgreSQL is waited for")
    )]
    pub(crate) async fn run(&self, statement: Statement) -> Result<u64, Failure> {
        by_engine! { Session, self,
            statements => statements.run(&statement),
            statements => statements.run(statement).await,
        }
    }

    /// Runs a statement and returns its rows.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(clippy::unused_async, reason = "PostgreSQL is waited for")
    )]
    pub(crate) async fn rows<R: Row>(&self, statement: Statement) -> Result<Vec<R>, Failure> {
        by_engine! { Session, self,
            statements => statements.rows(&statement),
            statements => statements.rows(statement).await,
        }
    }

    /// Builds and runs a statement; returns the number of rows that it changed.
    pub(crate) async fn execute(&self, statement: &impl QueryTrait) -> Result<u64, Failure> {
        self.run(statement.build(self.backend())).await
    }

    /// Builds and runs a statement; returns its rows.
    pub(crate) async fn all<R: Row>(&self, statement: &impl QueryTrait) -> Result<Vec<R>, Failure> {
        self.rows(statement.build(self.backend())).await
    }

    /// Builds and runs a statement; returns its first row.
    pub(crate) async fn first<R: Row>(
        &self,
        statement: &impl QueryTrait,
    ) -> Result<Option<R>, Failure> {
        Ok(self.all(statement).await?.into_iter().next())
    }
}

/// A read. It sees the database as it is at one moment, if the database offers
/// that for several statements.
pub(crate) trait Read<T>:
    AsyncFn(&Session<'_>) -> Result<T, Failure> + Send + Sync + 'static
{
}

impl<T, F> Read<T> for F where F: AsyncFn(&Session<'_>) -> Result<T, Failure> + Send + Sync + 'static
{}

/// A change on a session, which happens completely or not at all. A failure undoes everything
/// done so far.
///
/// On SQLite, changes that come at the same time share a transaction. If
/// another change makes that roll back, this one is applied a second time.
pub(crate) trait Change<T>:
    AsyncFn(&Session<'_>) -> Result<Applied<T>, Failure> + Send + Sync + 'static
{
}

impl<T, F> Change<T> for F where
    F: AsyncFn(&Session<'_>) -> Result<Applied<T>, Failure> + Send + Sync + 'static
{
}

/// The end of a change that did not fail.
#[derive(Debug)]
pub(crate) enum Applied<T> {
    /// Keep everything that was written.
    Commit(T),
    /// Undo everything that was written.
    Rollback(T),
}

/// The caches that may hold the state from before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// In this process's caches too. Then the change is noticed, whether its caller waits for the
    /// answer or not.
    ByCaches,
    /// In the database alone.
    ByNone,
}
