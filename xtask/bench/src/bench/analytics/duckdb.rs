//! DuckDB with the same visits, which it reads from exports of the embedded log.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{limits, piped::Piped};

/// DuckDB in a process of Python, which passes statements and rows on.
#[derive(Debug)]
pub(super) struct DuckDb {
    process: Option<Piped>,
    folder: PathBuf,
}

impl DuckDb {
    /// Opens the database of a folder, and makes it if there is none.
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let mut database = Self {
            process: None,
            folder: folder.to_owned(),
        };
        database.open_again()?;
        Ok(database)
    }

    /// Starts a new process, which has nothing in its memory yet.
    pub(super) fn open_again(&mut self) -> Result<()> {
        // The old one holds a lock.
        self.process = None;
        let script = "xtask/bench/src/bench/analytics/duckdb_server.py";
        let visits = self.folder.join("visits.duckdb");
        let process = Piped::start("duckdb-python", script, |command| command.arg(visits));
        self.process = Some(process.context("DuckDB cannot be started")?);
        self.rows(&format!("SET memory_limit = '{}MiB'", limits::MIB))?;
        self.rows(&format!("SET threads = {}", limits::threads()))?;
        Ok(())
    }

    /// Takes the visits of an exported table. In order of link, as the
    /// embedded log's chunks are, questions about one link take a tenth as long.
    pub(super) fn load(&mut self, table: &Path) -> Result<()> {
        let source = format!(
            "SELECT *, make_timestamptz(ts_ms * 1000) AS moment \
             FROM read_csv('{}', header = true, all_varchar = false, \
             types = {{'visitor': 'UBIGINT', 'slug': 'VARCHAR', 'utm_source': 'VARCHAR', \
             'utm_medium': 'VARCHAR', 'utm_campaign': 'VARCHAR', 'referer': 'VARCHAR'}}, \
             nullstr = '\\N')",
            table.display()
        );
        self.rows(&format!(
            "CREATE TABLE IF NOT EXISTS visit AS {source} LIMIT 0"
        ))?;
        self.rows(&format!(
            "INSERT INTO visit {source} ORDER BY ts_ms // 86400000, link_id, ts_ms"
        ))?;
        self.rows("CHECKPOINT")?;
        Ok(())
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.as_ref().map_or(0, Piped::pid)
    }

    /// The rows of a statement.
    pub(super) fn rows(&mut self, statement: &str) -> Result<Value> {
        let process = self.process.as_mut().context("DuckDB has ended")?;
        process.say(&Value::from(statement).to_string())?;
        let rows = process.hear();
        let rows = rows.with_context(|| format!("DuckDB was asked {statement}"))?;
        let rows = serde_json::from_str(&rows)?;
        if let Value::String(error) = rows {
            bail!("{error}");
        }
        Ok(rows)
    }
}
