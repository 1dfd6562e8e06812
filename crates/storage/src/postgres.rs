//! PostgreSQL, through sea-orm.

use std::time::Duration;

use sea_orm::{
    ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, QueryResult, RuntimeErr,
    Statement, TransactionTrait,
};
use sqlx::{Connection, PgConnection};

use crate::{
    failure::Failure,
    session::{Applied, Change, Columns, Read, Row, Session},
};

/// Connections to a PostgreSQL server.
#[derive(Clone, Debug)]
pub(crate) struct Postgres {
    pool: DatabaseConnection,
}

impl Postgres {
    /// Opens the pool of a `postgres://…` URL.
    pub(crate) async fn connect(url: &str) -> Result<Self, DbErr> {
        // The pool keeps trying a server that is not there and then reports only
        // that time ran out; a single connection says why.
        let attempt = PgConnection::connect(url).await;
        attempt
            .map_err(|error| DbErr::Conn(RuntimeErr::SqlxError(error.into())))?
            .close()
            .await
            .ok();
        let pool = sea_orm::Database::connect(pool_options(url)).await?;
        Ok(Self { pool })
    }

    pub(crate) fn pool(&self) -> &DatabaseConnection {
        &self.pool
    }

    pub(crate) async fn read<R: Read>(&self, read: &R) -> Result<R::Answer, Failure> {
        read.read(&Statements(&self.pool)).await
    }

    /// Applies a change in a transaction of its own.
    pub(crate) async fn change<C: Change>(&self, change: &C) -> Result<C::Answer, Failure> {
        let transaction = self.pool.begin().await?;
        // A failure drops the transaction, which rolls it back.
        match change.apply(&Statements(&transaction)).await? {
            Applied::Keep(answer) => {
                transaction.commit().await?;
                Ok(answer)
            }
            Applied::Undo(answer) => {
                transaction.rollback().await?;
                Ok(answer)
            }
        }
    }
}

fn pool_options(url: &str) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(10)
        .acquire_timeout(Duration::from_secs(10))
        .connect_timeout(Duration::from_secs(10))
        // A ping before every use doubles the round trips; a connection that
        // died shows itself in the statement's own error.
        .test_before_acquire(false)
        .sqlx_logging(false);
    options
}

/// Statements on the pool or in a transaction.
struct Statements<'c, C>(&'c C);

impl<C: ConnectionTrait> Session for Statements<'_, C> {
    fn backend(&self) -> DbBackend {
        DbBackend::Postgres
    }

    async fn run(&self, statement: Statement) -> Result<u64, Failure> {
        Ok(self.0.execute_raw(statement).await?.rows_affected())
    }

    async fn rows<R: Row>(&self, statement: Statement) -> Result<Vec<R>, Failure> {
        let rows = self.0.query_all_raw(statement).await?;
        rows.iter().map(R::read).collect()
    }
}

impl Columns for QueryResult {
    fn text(&self, place: usize) -> Result<String, Failure> {
        Ok(self.try_get_by_index(place)?)
    }

    fn optional_text(&self, place: usize) -> Result<Option<String>, Failure> {
        Ok(self.try_get_by_index(place)?)
    }

    fn number(&self, place: usize) -> Result<i64, Failure> {
        Ok(self.try_get_by_index(place)?)
    }

    fn optional_number(&self, place: usize) -> Result<Option<i64>, Failure> {
        Ok(self.try_get_by_index(place)?)
    }

    fn optional_flag(&self, place: usize) -> Result<Option<bool>, Failure> {
        Ok(self.try_get_by_index(place)?)
    }
}
