//! Statements of a pool or a transaction.

use sea_orm::{ConnectionTrait, DatabaseConnection, DatabaseTransaction, QueryResult, Statement};

use super::answer::{STEP, answered};
use crate::{
    failure::Failure,
    row::{Column, Columns, Row},
};

/// Runs statements on the pool or in a transaction.
#[derive(Clone, Copy)]
pub(crate) enum Statements<'c> {
    Pool(&'c DatabaseConnection),
    Transaction(&'c DatabaseTransaction),
}

impl Statements<'_> {
    /// Runs a statement and returns the number of rows that it changed.
    pub(crate) async fn run(self, statement: Statement) -> Result<u64, Failure> {
        let done = async {
            match self {
                Self::Pool(pool) => pool.execute_raw(statement).await,
                Self::Transaction(transaction) => transaction.execute_raw(statement).await,
            }
        };
        Ok(answered(STEP, done).await??.rows_affected())
    }

    /// Runs a statement and returns its rows.
    pub(crate) async fn rows<R: Row>(self, statement: Statement) -> Result<Vec<R>, Failure> {
        let rows = async {
            match self {
                Self::Pool(pool) => pool.query_all_raw(statement).await,
                Self::Transaction(transaction) => transaction.query_all_raw(statement).await,
            }
        };
        let rows = answered(STEP, rows).await??;
        let read = |row| R::read(&mut Cells { row, next: 0 });
        rows.iter().map(read).collect()
    }
}

/// The columns of a row, from the next one on.
struct Cells<'r> {
    row: &'r QueryResult,
    next: usize,
}

impl Columns for Cells<'_> {
    fn next<C: Column>(&mut self) -> Result<C, Failure> {
        self.next += 1;
        Ok(self.row.try_get_by_index(self.next - 1)?)
    }
}
