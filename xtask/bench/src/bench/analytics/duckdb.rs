//! DuckDB with the same visits, which it reads from an export of the embedded log.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{list::Question, piped::Piped, questions::Contender};
use crate::bench::processor::cpu_seconds;

/// DuckDB in a process of Python, which passes statements and rows on.
#[derive(Debug)]
pub(super) struct DuckDb(Piped);

impl DuckDb {
    /// Opens a database, which is made if there is none.
    pub(super) fn start(database: &Path) -> Result<Self> {
        let script = "xtask/bench/src/bench/analytics/duckdb_server.py";
        let process = Piped::start("duckdb-python", script, |command| command.arg(database));
        Ok(Self(process.context("DuckDB cannot be started")?))
    }

    /// Takes the visits of an exported table. In order of link, as the embedded log's chunks
    /// are, questions about one link take a tenth as long.
    pub(super) fn load(&mut self, table: &Path) -> Result<()> {
        self.run(&format!(
            "CREATE OR REPLACE TABLE visit AS \
             SELECT *, make_timestamptz(ts_ms * 1000) AS moment \
             FROM read_csv('{}', header = true, types = {{'visitor': 'UBIGINT'}}) \
             ORDER BY ts_ms // 86400000, link_id, ts_ms",
            table.display()
        ))?;
        Ok(())
    }

    pub(super) fn pid(&self) -> u32 {
        self.0.pid()
    }

    fn run(&mut self, statement: &str) -> Result<Value> {
        self.0.say(&Value::from(statement).to_string())?;
        let rows = self.0.hear();
        let rows = rows.with_context(|| format!("DuckDB was asked {statement}"))?;
        Ok(serde_json::from_str(&rows)?)
    }
}

impl Contender for DuckDb {
    fn name(&self) -> &'static str {
        "DuckDB"
    }

    fn ask(&mut self, question: &Question, rows: usize) -> Result<Value> {
        self.run(&question.sql(rows))
    }

    fn cpu_seconds(&self) -> Result<f64> {
        cpu_seconds(self.pid())
    }

    fn agrees(&self, question: &Question, own: &Value, other: &Value) -> Result<bool> {
        let visits = |row: &Value| row.get("visits").or(row.get("count")).cloned();
        let own = own["data"].as_array().into_iter().flatten();
        let own: Vec<Value> = own.map_while(visits).collect();
        let rows = other.as_array().into_iter().flatten();
        let other: Vec<Value> = rows.map(|row| row[0].clone()).collect();
        // Events have no number of visits.
        if own != other && !own.is_empty() {
            bail!("{}: DuckDB counts otherwise", question.name);
        }
        Ok(true)
    }
}
