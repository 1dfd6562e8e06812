//! A connection to a file, wrapped as sea-orm's for schema steps.
//!
//! The steps are written with sea-orm for either database. For SQLite, sea-orm
//! passes their statements on to this connection.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

use async_trait::async_trait;
use rusqlite::{Connection, types::ValueRef};
use sea_orm::{
    DatabaseConnection, DbBackend, DbErr, ProxyDatabaseTrait, ProxyExecResult, ProxyRow,
    RuntimeErr, Statement, Value,
};

use super::statements::{bind, locked, run};
use crate::failure::Failure;

/// Runs sea-orm's statements on one connection.
#[derive(Clone, Debug)]
pub(crate) struct SchemaStatements(Arc<Mutex<Connection>>);

impl SchemaStatements {
    pub(crate) fn new(connection: Connection) -> Self {
        Self(Arc::new(Mutex::new(connection)))
    }

    /// The connection as sea-orm's type.
    pub(crate) fn connection(&self) -> Result<DatabaseConnection, DbErr> {
        let statements: Box<dyn ProxyDatabaseTrait> = Box::new(self.clone());
        sea_orm::ProxyDatabaseConnector::connect(DbBackend::Sqlite, Arc::new(statements))
    }

    /// The number of rows of a table with a value in a column; 0 if there is no such column.
    pub(crate) fn values_of(&self, table: &str, column: &str) -> Result<u64, DbErr> {
        let read = || {
            let connection = self.locked();
            if !connection.column_exists(None, table, column)? {
                return Ok(0);
            }
            let count = format!("SELECT count({column}) FROM {table}");
            let rows: u32 = connection.query_row(&count, [], |row| row.get(0))?;
            Ok(rows.into())
        };
        read().map_err(|error: rusqlite::Error| query_failed(&error.into()))
    }

    /// SQLite's reports of damage.
    pub(crate) fn damages(&self) -> Result<Vec<String>, DbErr> {
        let read = || {
            let connection = self.locked();
            let mut check = connection.prepare("PRAGMA integrity_check")?;
            let lines = check.query_map([], |line| line.get::<_, String>(0))?;
            lines.collect::<Result<Vec<_>, rusqlite::Error>>()
        };
        let lines = read().map_err(|error| query_failed(&error.into()))?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    fn locked(&self) -> MutexGuard<'_, Connection> {
        locked(&self.0)
    }

    fn rows(&self, statement: &Statement) -> Result<Vec<ProxyRow>, Failure> {
        let connection = self.locked();
        let mut prepared = connection.prepare(&statement.sql)?;
        let names: Vec<String> = prepared.column_names().map(Into::into).collect();
        bind(&mut prepared, statement)?;
        let mut rows = prepared.raw_query();
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            let mut values = BTreeMap::new();
            for (index, name) in names.iter().enumerate() {
                values.insert(name.clone(), value(row.get_ref(index)?)?);
            }
            read.push(ProxyRow::new(values));
        }
        Ok(read)
    }

    fn run(&self, statement: &Statement) -> Result<u64, Failure> {
        let connection = self.locked();
        if statement.values.is_none() {
            // The text may hold several statements.
            connection.execute_batch(&statement.sql)?;
            return Ok(connection.changes());
        }
        run(&connection, statement)
    }
}

#[async_trait]
impl ProxyDatabaseTrait for SchemaStatements {
    async fn query(&self, statement: Statement) -> Result<Vec<ProxyRow>, DbErr> {
        self.rows(&statement)
            .map_err(|failure| query_failed(&failure))
    }

    async fn execute(&self, statement: Statement) -> Result<ProxyExecResult, DbErr> {
        let changed = self
            .run(&statement)
            .map_err(|failure| query_failed(&failure))?;
        Ok(ProxyExecResult::new(0, changed))
    }
}

fn value(stored: ValueRef<'_>) -> Result<Value, Failure> {
    match stored {
        ValueRef::Null => Ok(Value::String(None)),
        ValueRef::Integer(number) => Ok(number.into()),
        ValueRef::Text(_) => Ok(stored.as_str().map_err(rusqlite::Error::from)?.into()),
        ValueRef::Real(_) | ValueRef::Blob(_) => Err(Failure::NoSuchType),
    }
}

fn query_failed(failure: &Failure) -> DbErr {
    DbErr::Query(RuntimeErr::Internal(failure.to_string()))
}
