//! A connection as a session.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use rusqlite::{
    Connection, ToSql,
    types::{Null, ToSqlOutput},
};
use sea_orm::{DbBackend, Statement, Value};

use crate::{
    failure::Failure,
    session::{Columns, Row, Session},
};

/// Runs statements on a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statements<'c>(pub(crate) &'c Connection);

impl Session for Statements<'_> {
    fn backend(&self) -> DbBackend {
        DbBackend::Sqlite
    }

    async fn run(&self, statement: Statement) -> Result<u64, Failure> {
        let mut prepared = self.0.prepare_cached(&statement.sql)?;
        bind(&mut prepared, &statement)?;
        let changed = prepared.raw_execute()?;
        Ok(u64::try_from(changed).unwrap_or(u64::MAX))
    }

    async fn rows<R: Row>(&self, statement: Statement) -> Result<Vec<R>, Failure> {
        let mut prepared = self.0.prepare_cached(&statement.sql)?;
        bind(&mut prepared, &statement)?;
        let mut rows = prepared.raw_query();
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            read.push(R::read(row)?);
        }
        Ok(read)
    }
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

impl Columns for rusqlite::Row<'_> {
    fn text(&self, column: usize) -> Result<String, Failure> {
        Ok(self.get(column)?)
    }

    fn optional_text(&self, column: usize) -> Result<Option<String>, Failure> {
        Ok(self.get(column)?)
    }

    fn number(&self, column: usize) -> Result<i64, Failure> {
        Ok(self.get(column)?)
    }

    fn optional_number(&self, column: usize) -> Result<Option<i64>, Failure> {
        Ok(self.get(column)?)
    }

    fn optional_flag(&self, column: usize) -> Result<Option<bool>, Failure> {
        Ok(self.get(column)?)
    }
}
