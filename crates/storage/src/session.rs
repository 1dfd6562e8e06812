//! Reads and changes that run on either database.
//!
//! Entities and sea-query build each statement once. A [`Session`] runs it: on
//! SQLite at once (`sqlite`), on PostgreSQL through sea-orm (`postgres`).

use sea_orm::{DbBackend, QueryTrait, Statement};

use crate::failure::Failure;

/// Runs statements, all of one transaction.
pub(crate) trait Session {
    /// The database's dialect.
    fn backend(&self) -> DbBackend;

    /// Runs a statement and returns the number of rows that it changed.
    async fn run(&self, statement: Statement) -> Result<u64, Failure>;

    /// Runs a statement and returns its rows.
    async fn rows<R: Row>(&self, statement: Statement) -> Result<Vec<R>, Failure>;

    /// Builds and runs a statement; returns the number of rows that it changed.
    async fn execute(&self, statement: &impl QueryTrait) -> Result<u64, Failure> {
        self.run(statement.build(self.backend())).await
    }

    /// Builds and runs a statement; returns its rows.
    async fn all<R: Row>(&self, statement: &impl QueryTrait) -> Result<Vec<R>, Failure> {
        self.rows(statement.build(self.backend())).await
    }

    /// Builds and runs a statement; returns its first row.
    async fn first<R: Row>(&self, statement: &impl QueryTrait) -> Result<Option<R>, Failure> {
        Ok(self.all(statement).await?.into_iter().next())
    }
}

/// A row, read column by column.
pub(crate) trait Row: Sized {
    /// Reads the columns by their position in the statement.
    fn read(columns: &impl Columns) -> Result<Self, Failure>;
}

/// The columns of a row, counted from 0.
pub(crate) trait Columns {
    /// A text.
    fn text(&self, column: usize) -> Result<String, Failure>;
    /// A text or `NULL`.
    fn optional_text(&self, column: usize) -> Result<Option<String>, Failure>;
    /// A whole number.
    fn number(&self, column: usize) -> Result<i64, Failure>;
    /// A whole number or `NULL`.
    fn optional_number(&self, column: usize) -> Result<Option<i64>, Failure>;
    /// A boolean or `NULL`.
    fn optional_flag(&self, column: usize) -> Result<Option<bool>, Failure>;
}

impl Row for String {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        columns.text(0)
    }
}

impl Row for i64 {
    fn read(columns: &impl Columns) -> Result<Self, Failure> {
        columns.number(0)
    }
}

/// A read. It sees the database as it is at one moment, if the database offers
/// that for several statements.
pub(crate) trait Read: Send + 'static {
    /// The result.
    type Answer: Send + 'static;

    /// Reads.
    async fn read<S: Session>(&self, session: &S) -> Result<Self::Answer, Failure>;
}

/// A change that happens completely or not at all.
///
/// On SQLite, changes that come at the same time share a transaction. If
/// another change makes that roll back, this one is applied a second time.
pub(crate) trait Mutation: Send + 'static {
    /// The answer to the caller.
    type Answer: Send + 'static;

    /// True if this process's caches may hold what the change changes. Then somebody has to notice
    /// it, whether its caller waits for the answer or not.
    #[cfg_attr(
        not(feature = "sqlite"),
        expect(dead_code, reason = "PostgreSQL tells nodes by triggers")
    )]
    const IS_CACHED: bool = true;

    /// Applies the change. A failure undoes everything done so far.
    async fn apply<S: Session>(&self, session: &S) -> Result<Applied<Self::Answer>, Failure>;
}

/// The end of a change that did not fail.
#[derive(Debug)]
pub(crate) enum Applied<T> {
    /// Keep everything that was written.
    Commit(T),
    /// Undo everything that was written.
    Rollback(T),
}

impl<T> Applied<T> {
    /// The answer, for a change that leaves nothing to undo.
    #[cfg(feature = "postgres")]
    pub(crate) fn into_answer(self) -> T {
        match self {
            Self::Commit(answer) | Self::Rollback(answer) => answer,
        }
    }
}
