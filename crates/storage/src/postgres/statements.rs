//! Statements of a pool or a transaction.

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, QueryResult, Statement};

use super::answer::{STEP, answered, was_cut};
use crate::{
    failure::Failure,
    session::{Columns, Read, Row, Session},
};

/// The most connections of a pool.
pub(super) const MAX_CONNECTIONS: u32 = 10;

/// Reads on the pool, and reads again if the server had closed the connection.
pub(super) async fn read<R: Read>(
    pool: &DatabaseConnection,
    read: &R,
) -> Result<R::Answer, Failure> {
    let statements = Statements(pool);
    for _ in 0..MAX_CONNECTIONS {
        match read.read(&statements).await {
            Err(Failure::Postgres(error)) if was_cut(&error) => {}
            answer => return answer,
        }
    }
    read.read(&statements).await
}

/// Runs statements on the pool or in a transaction.
pub(super) struct Statements<'c, C>(pub(super) &'c C);

impl<C: ConnectionTrait> Session for Statements<'_, C> {
    fn backend(&self) -> DbBackend {
        DbBackend::Postgres
    }

    async fn run(&self, statement: Statement) -> Result<u64, Failure> {
        let done = answered(STEP, self.0.execute_raw(statement)).await?;
        Ok(done?.rows_affected())
    }

    async fn rows<R: Row>(&self, statement: Statement) -> Result<Vec<R>, Failure> {
        let rows = answered(STEP, self.0.query_all_raw(statement)).await??;
        rows.iter().map(R::read).collect()
    }
}

impl Columns for QueryResult {
    fn text(&self, column: usize) -> Result<String, Failure> {
        Ok(self.try_get_by_index(column)?)
    }

    fn optional_text(&self, column: usize) -> Result<Option<String>, Failure> {
        Ok(self.try_get_by_index(column)?)
    }

    fn number(&self, column: usize) -> Result<i64, Failure> {
        Ok(self.try_get_by_index(column)?)
    }

    fn optional_number(&self, column: usize) -> Result<Option<i64>, Failure> {
        Ok(self.try_get_by_index(column)?)
    }

    fn optional_flag(&self, column: usize) -> Result<Option<bool>, Failure> {
        Ok(self.try_get_by_index(column)?)
    }
}
