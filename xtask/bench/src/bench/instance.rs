//! An instance of Slugline to measure.

use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use ureq::Agent;

use super::cpus::Cpus;
use xtask::process;

/// Bearer token of measured instances.
pub(crate) const TOKEN: &str = "bench-bench-bench";

/// A Slugline to measure.
#[derive(Clone, Debug)]
pub(crate) struct Binary {
    /// Its name in tables.
    pub(crate) name: &'static str,
    pub(crate) path: PathBuf,
}

/// A running binary with a data folder of its own.
#[derive(Debug)]
pub(crate) struct Instance {
    process: Child,
    origin: String,
    agent: Agent,
}

impl Instance {
    /// Starts a binary on a free port.
    pub(crate) fn start(binary: &Binary, data: &Path) -> Result<Self> {
        Self::launch(command(binary, data))
    }

    /// Starts a binary with more settings.
    pub(crate) fn start_with(
        binary: &Binary,
        data: &Path,
        settings: &[(&str, &str)],
    ) -> Result<Self> {
        let mut command = command(binary, data);
        command.envs(settings.iter().copied());
        Self::launch(command)
    }

    /// Starts a binary with one worker on the CPU of servers, like the other contenders.
    pub(crate) fn start_alone(
        binary: &Binary,
        data: &Path,
        cpus: Cpus,
        settings: &[(&str, &str)],
    ) -> Result<Self> {
        let mut command = cpus.server(&binary.path);
        set_up(&mut command, data);
        command.env("SLUGLINE_WORKERS", "1");
        command.envs(settings.iter().copied());
        Self::launch(command)
    }

    fn launch(mut command: Command) -> Result<Self> {
        let mut process = command
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| process::cannot_start(&command))?;
        let output = process.stdout.take().expect("standard output is piped");
        let first = BufReader::new(output).lines().next();
        let greeting = first.context("the instance ended without a word")??;
        let origin = greeting.rsplit(' ').next().unwrap_or_default().to_owned();
        let agent = Agent::config_builder()
            .timeout_global(Some(Duration::from_mins(5)))
            .build()
            .into();
        Ok(Self {
            process,
            origin,
            agent,
        })
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// The address it listens on.
    pub(crate) fn address(&self) -> Result<SocketAddr> {
        let address = self.origin.strip_prefix("http://").unwrap_or_default();
        let address = address.parse();
        address.with_context(|| format!("an origin with an address: {}", self.origin))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The answer to a GET with the token.
    pub(crate) fn get(&self, path: &str) -> Result<Value> {
        let request = self.agent.get(format!("{}{path}", self.origin));
        let mut answer = request
            .header("authorization", format!("Bearer {TOKEN}"))
            .call()?;
        Ok(answer
            .body_mut()
            .with_config()
            .limit(64 << 20)
            .read_json()?)
    }

    /// The value of a metric that has no labels.
    pub(crate) fn metric(&self, name: &str) -> Result<f64> {
        let request = self.agent.get(format!("{}/_metrics", self.origin));
        let request = request.header("authorization", format!("Bearer {TOKEN}"));
        let text = request.call()?.body_mut().read_to_string()?;
        metric(&text, name).with_context(|| format!("the metrics have no {name}"))
    }

    /// The answer to a POST with the token.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let request = self.agent.post(format!("{}{path}", self.origin));
        let mut answer = request
            .header("authorization", format!("Bearer {TOKEN}"))
            .send_json(body)?;
        Ok(answer.body_mut().read_json()?)
    }

    /// Asks it to stop, and waits.
    pub(crate) fn stop(mut self) -> Result<()> {
        let pid = self.pid().to_string();
        process::run(process::program("kill").args(["-TERM", &pid]))?;
        let status = self.process.wait()?;
        if !status.success() {
            bail!("the instance ended with {status}");
        }
        Ok(())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // After `stop` the process has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A command for a binary with this data folder and without this environment.
pub(crate) fn command(binary: &Binary, data: &Path) -> Command {
    let mut command = process::program(&binary.path);
    set_up(&mut command, data);
    command
}

/// Imports an export document into a data folder that no instance uses, or into the database of
/// the settings.
pub(crate) fn import(
    binary: &Binary,
    data: &Path,
    settings: &[(&str, &str)],
    export: &Path,
) -> Result<()> {
    let mut command = command(binary, data);
    command.envs(settings.iter().copied());
    process::run_quietly(command.arg("import").arg(export))
}

/// The value on the line of a metric in Prometheus' text.
fn metric(text: &str, name: &str) -> Option<f64> {
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    value.trim().parse().ok()
}

fn set_up(command: &mut Command, data: &Path) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    command
        .env_clear()
        // For `taskset`, if the command begins with it.
        .env("PATH", path)
        .env("SLUGLINE_LISTEN", "127.0.0.1:0")
        .env("SLUGLINE_DATA_DIR", data)
        .env("SLUGLINE_SITE_TOKEN", TOKEN)
        .env("SLUGLINE_LOG", "warn")
        .stdin(Stdio::null());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metric_is_found_by_its_whole_name() {
        let text = "# TYPE visits counter\nvisits_total_old 7\nvisits_total 12\n";
        assert_eq!(metric(text, "visits_total"), Some(12.0));
        assert_eq!(metric(text, "visits"), None);
    }
}
