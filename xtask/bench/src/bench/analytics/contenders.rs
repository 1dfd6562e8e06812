//! What takes part: services that are asked by the API, and databases that are asked in SQL.

use std::cell::RefCell;

use anyhow::Result;
use serde_json::Value;

use super::{
    clickhouse::ClickHouse,
    duckdb::DuckDb,
    list::{Question, Shape},
    sql::Dialect,
};
use crate::bench::{instance::Instance, processor::cpu_seconds};

/// A contender that answers questions.
pub(super) trait Contender {
    /// The name in tables.
    fn name(&self) -> &'static str;

    /// Returns the answer. `rows` is the number of rows that the first contender gave.
    fn ask(&mut self, question: &Question, rows: usize) -> Result<Value>;

    /// Its processes.
    fn processes(&self) -> Vec<u32>;

    /// Drops caches of its own, as far as that is possible.
    fn forget(&mut self) -> Result<()> {
        Ok(())
    }

    /// The processor time of all its processes so far.
    fn cpu_seconds(&self) -> Result<f64> {
        self.processes().into_iter().map(cpu_seconds).sum()
    }
}

/// A service, and the database beside it.
#[derive(Debug)]
pub(super) struct Service<'i> {
    pub(super) name: &'static str,
    pub(super) instance: &'i Instance,
    pub(super) beside: Option<&'i ClickHouse>,
}

impl Contender for Service<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn ask(&mut self, question: &Question, _: usize) -> Result<Value> {
        self.instance.get(&question.path())
    }

    fn processes(&self) -> Vec<u32> {
        let beside = self.beside.map(ClickHouse::pid);
        [self.instance.pid()].into_iter().chain(beside).collect()
    }

    fn forget(&mut self) -> Result<()> {
        self.beside.map_or(Ok(()), ClickHouse::forget)
    }
}

/// ClickHouse, asked in SQL.
#[derive(Debug)]
pub(super) struct ClickHouseSql<'c>(pub(super) &'c ClickHouse);

impl Contender for ClickHouseSql<'_> {
    fn name(&self) -> &'static str {
        "ClickHouse SQL"
    }

    fn ask(&mut self, question: &Question, rows: usize) -> Result<Value> {
        self.0.rows(&Dialect::ClickHouse.ask(question, rows))
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.0.pid()]
    }

    fn forget(&mut self) -> Result<()> {
        self.0.forget()
    }
}

/// DuckDB, asked in SQL.
#[derive(Debug)]
pub(super) struct DuckDbSql<'d>(pub(super) &'d RefCell<DuckDb>);

impl Contender for DuckDbSql<'_> {
    fn name(&self) -> &'static str {
        "DuckDB SQL"
    }

    fn ask(&mut self, question: &Question, rows: usize) -> Result<Value> {
        let statement = Dialect::DuckDb.ask(question, rows);
        self.0.borrow_mut().rows(&statement)
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.0.borrow().pid()]
    }

    fn forget(&mut self) -> Result<()> {
        self.0.borrow_mut().open_again()
    }
}

/// The numbers of visits in the rows of an answer, and of visitors if it has some. Events have
/// none.
pub(super) fn numbers(question: &Question, answer: &Value) -> (Vec<u64>, Vec<u64>) {
    if question.shape == Shape::Latest {
        return Default::default();
    }
    let has_visitors = !matches!(question.shape, Shape::Top(_));
    let rows = answer.get("data").unwrap_or(answer);
    let rows = rows.as_array().into_iter().flatten();
    let number = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.parse().unwrap_or_default(),
        value => value.and_then(Value::as_u64).unwrap_or_default(),
    };
    rows.map(|row| {
        let visits = row.get(0).or(row.get("visits")).or(row.get("count"));
        let visitors = row.get(1).or(row.get("visitors"));
        (number(visits), number(visitors))
    })
    .map(|(visits, visitors)| (visits, if has_visitors { visitors } else { 0 }))
    .unzip()
}
