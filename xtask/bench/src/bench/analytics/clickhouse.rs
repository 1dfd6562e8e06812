//! ClickHouse as the tests start it.

use std::{path::Path, time::Instant};

use anyhow::{Context, Result};

use super::piped::Piped;

/// A running server. It keeps its data in a folder.
#[derive(Debug)]
pub(super) struct ClickHouse {
    process: Piped,
    url: String,
}

impl ClickHouse {
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let script = "crates/testkit/clickhouse/server.py";
        let mut process = Piped::start("clickhouse-python", script, |command| {
            command.arg(folder).args(["0", "bench", "bench"])
        })?;
        let port = process.hear().context("ClickHouse")?;
        let port = port.trim_end();
        let url = format!("clickhouse+http://bench:bench@127.0.0.1:{port}/slugline");
        Ok(Self { process, url })
    }

    /// Its URL for the service's setting.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// The milliseconds that a statement takes in which nothing is asked, at least.
    pub(super) fn empty_ms(&self) -> Result<f64> {
        let server = self.url.rsplit('@').next().unwrap_or_default();
        let server = server.trim_end_matches("/slugline");
        let mut least = f64::INFINITY;
        for _ in 0..20 {
            let began = Instant::now();
            ureq::post(format!("http://{server}/"))
                .header("x-clickhouse-user", "bench")
                .header("x-clickhouse-key", "bench")
                .send("SELECT 1")?;
            least = least.min(began.elapsed().as_secs_f64() * 1e3);
        }
        Ok(least)
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.pid()
    }
}
