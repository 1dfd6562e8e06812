//! A connection as a session.

use std::{
    future::Future,
    pin::pin,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use rusqlite::{
    Connection, ToSql,
    types::{Null, ToSqlOutput},
};
use sea_orm::{Statement, Value};

use crate::{
    failure::Failure,
    row::{Column, Columns, Row},
};

/// Runs statements on a connection. The lock is never waited for; it lets futures that hold a
/// session go to another thread, as those on PostgreSQL do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statements<'c>(pub(crate) &'c Mutex<Connection>);

impl Statements<'_> {
    /// Runs a statement and returns the number of rows that it changed.
    pub(crate) fn run(self, statement: &Statement) -> Result<u64, Failure> {
        run(&locked(self.0), statement)
    }

    /// Runs a statement and returns its rows.
    pub(crate) fn rows<R: Row>(self, statement: &Statement) -> Result<Vec<R>, Failure> {
        let connection = locked(self.0);
        let mut prepared = connection.prepare_cached(&statement.sql)?;
        bind(&mut prepared, statement)?;
        let mut rows = prepared.raw_query();
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            read.push(R::read(&mut Cells { row, next: 0 })?);
        }
        Ok(read)
    }
}

/// Locks a connection.
pub(super) fn locked(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a statement and returns the number of rows that it changed.
pub(super) fn run(connection: &Connection, statement: &Statement) -> Result<u64, Failure> {
    let mut prepared = connection.prepare_cached(&statement.sql)?;
    bind(&mut prepared, statement)?;
    let changed = prepared.raw_execute()?;
    Ok(u64::try_from(changed).unwrap_or(u64::MAX))
}

/// Completes work on a session. Statements are done when they return, so its
/// future never waits.
pub(crate) fn complete<F: Future>(work: F) -> F::Output {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(work).poll(&mut context) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("work on a session awaits nothing but its statements"),
    }
}

/// Binds the values of a statement.
pub(crate) fn bind(
    prepared: &mut rusqlite::Statement<'_>,
    statement: &Statement,
) -> Result<(), Failure> {
    let values = statement.values.iter().flat_map(|values| &values.0);
    for (index, value) in values.enumerate() {
        prepared.raw_bind_parameter(index + 1, Bound::of(value)?)?;
    }
    Ok(())
}

/// A value of sea-query in the form that SQLite takes.
enum Bound<'v> {
    Null,
    Number(i64),
    Text(&'v str),
}

impl<'v> Bound<'v> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "our entities and conditions use no other types"
    )]
    fn of(value: &'v Value) -> Result<Self, Failure> {
        let number = match value {
            Value::String(text) => {
                return Ok(text.as_deref().map_or(Self::Null, Self::Text));
            }
            Value::Bool(flag) => flag.map(i64::from),
            Value::Int(number) => number.map(i64::from),
            Value::BigInt(number) => *number,
            Value::Unsigned(number) => number.map(i64::from),
            Value::BigUnsigned(number) => number
                .map(i64::try_from)
                .transpose()
                .map_err(|_| Failure::NoSuchType)?,
            _ => return Err(Failure::NoSuchType),
        };
        Ok(number.map_or(Self::Null, Self::Number))
    }
}

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Null => Null.to_sql(),
            Self::Number(number) => Ok(ToSqlOutput::from(*number)),
            Self::Text(text) => Ok(ToSqlOutput::from(*text)),
        }
    }
}

/// The columns of a row, from the next one on.
struct Cells<'r> {
    row: &'r rusqlite::Row<'r>,
    next: usize,
}

impl Columns for Cells<'_> {
    fn next<C: Column>(&mut self) -> Result<C, Failure> {
        self.next += 1;
        Ok(self.row.get(self.next - 1)?)
    }
}
