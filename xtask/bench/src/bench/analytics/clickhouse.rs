//! ClickHouse as the tests start it.

use std::{path::Path, time::Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use ureq::Agent;

use super::{limits, piped::Piped};

/// A running server. It keeps its data in a folder.
#[derive(Debug)]
pub(super) struct ClickHouse {
    process: Piped,
    server: String,
    agent: Agent,
}

impl ClickHouse {
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let script = "crates/testkit/clickhouse/server.py";
        let mut process = Piped::start("clickhouse-python", script, |command| {
            command.arg(folder).args(["0", "bench", "bench"])
        })?;
        let port = process.hear().context("ClickHouse")?;
        let config = Agent::config_builder().http_status_as_error(false);
        let server = Self {
            process,
            server: format!("127.0.0.1:{}", port.trim_end()),
            agent: config.build().into(),
        };
        // The library has one session, so the limits hold for the service's statements, too.
        server.post("", "SELECT 1")?;
        Ok(server)
    }

    /// Its URL for the service's setting.
    pub(super) fn url(&self) -> String {
        format!("clickhouse+http://bench:bench@{}/slugline", self.server)
    }

    /// Takes the visits of an exported table into the service's own table.
    pub(super) fn load(&self, table: &Path) -> Result<()> {
        self.run(&format!(
            "INSERT INTO access_log FROM INFILE '{}' SETTINGS input_format_skip_unknown_fields = 1, \
             max_partitions_per_insert_block = 0 FORMAT CSVWithNames",
            table.display()
        ))
    }

    /// Merges small parts, as the server does by itself within hours.
    pub(super) fn tidy(&self) -> Result<()> {
        let tables = "SELECT name FROM system.tables WHERE database = 'slugline' \
                      AND engine LIKE '%MergeTree%'";
        let tables = self.rows(tables)?;
        for table in tables.as_array().into_iter().flatten() {
            if let Some(name) = table[0].as_str() {
                self.run(&format!("OPTIMIZE TABLE {name} FINAL"))?;
            }
        }
        Ok(())
    }

    /// The bytes on disk of tables whose names begin like this.
    pub(super) fn bytes(&self, beginning: &str) -> Result<u64> {
        let rows = self.rows(&format!(
            "SELECT toString(sum(bytes_on_disk)) FROM system.parts \
             WHERE active AND database = 'slugline' AND startsWith(table, '{beginning}')"
        ))?;
        let bytes = rows[0][0].as_str().context("a number of bytes")?;
        Ok(bytes.parse()?)
    }

    /// Drops what it keeps of its files.
    pub(super) fn forget(&self) -> Result<()> {
        self.run("SYSTEM DROP MARK CACHE")?;
        self.run("SYSTEM DROP UNCOMPRESSED CACHE")
    }

    /// The rows of a question.
    pub(super) fn rows(&self, statement: &str) -> Result<Value> {
        let answer = self.post("database=slugline&default_format=JSONCompact", statement)?;
        let mut answer: Value = serde_json::from_str(&answer)?;
        Ok(answer["data"].take())
    }

    fn run(&self, statement: &str) -> Result<()> {
        self.post("database=slugline", statement).map(drop)
    }

    fn post(&self, settings: &str, statement: &str) -> Result<String> {
        let bytes = u64::from(limits::MIB) << 20;
        let before_disk = bytes / 2;
        let threads = limits::threads();
        let url = format!(
            "http://{}/?max_memory_usage={bytes}&max_bytes_before_external_group_by={before_disk}&\
             max_threads={threads}&max_execution_time=0&{settings}",
            self.server
        );
        let mut answer = self
            .agent
            .post(url)
            .header("x-clickhouse-user", "bench")
            .header("x-clickhouse-key", "bench")
            .send(statement)?;
        let text = answer
            .body_mut()
            .with_config()
            .limit(1 << 30)
            .read_to_string()?;
        if !answer.status().is_success() {
            bail!("ClickHouse was asked {statement}\nand answers {text}");
        }
        Ok(text)
    }

    /// The milliseconds that a statement takes in which nothing is asked, at least.
    pub(super) fn empty_ms(&self) -> Result<f64> {
        let mut least = f64::INFINITY;
        for _ in 0..20 {
            let began = Instant::now();
            self.post("", "SELECT 1")?;
            least = least.min(began.elapsed().as_secs_f64() * 1e3);
        }
        Ok(least)
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.pid()
    }
}
