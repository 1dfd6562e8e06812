//! A process under measurement.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use ureq::Agent;

use crate::process;

/// Bearer token of measured instances.
pub(crate) const TOKEN: &str = "bench-bench-bench";

/// A running release binary with a data folder of its own.
#[derive(Debug)]
pub(crate) struct Instance {
    process: Child,
    origin: String,
    agent: Agent,
}

impl Instance {
    /// Starts the release binary on a free port.
    pub(crate) fn start(data: &Path) -> Result<Self> {
        Self::start_with(data, &[])
    }

    /// The same with more settings.
    pub(crate) fn start_with(data: &Path, settings: &[(&str, &str)]) -> Result<Self> {
        let mut command = command(data);
        command.envs(settings.iter().copied());
        let mut process = command.stdout(Stdio::piped()).spawn()?;
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

    /// The answer to a POST with the token.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let request = self.agent.post(format!("{}{path}", self.origin));
        let mut answer = request
            .header("authorization", format!("Bearer {TOKEN}"))
            .send_json(body)?;
        Ok(answer.body_mut().read_json()?)
    }

    /// Asks it to finish, and waits.
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
        // Already gone after `stop`.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The release binary with this data folder and nothing of this environment.
pub(crate) fn command(data: &Path) -> Command {
    let mut command = process::program(process::root().join("target/release/slugline"));
    command
        .env_clear()
        .env("SLUGLINE_LISTEN", "127.0.0.1:0")
        .env("SLUGLINE_DATA_DIR", data)
        .env("SLUGLINE_SITE_TOKEN", TOKEN)
        .env("SLUGLINE_LOG", "warn")
        .stdin(Stdio::null());
    command
}

/// Processor time of a process and of the children it has waited for, user and
/// system, in seconds (proc(5), `/proc/pid/stat`).
pub(crate) fn cpu_seconds(pid: u32) -> Result<f64> {
    /// Ticks per second, as every Linux shows them to programs.
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name before may hold spaces and parentheses.
    let (_, after) = stat.rsplit_once(')').context("a line of /proc/pid/stat")?;
    let ticks = after.split_whitespace().skip(11).take(4);
    let mut sum = 0.0;
    for field in ticks {
        sum += field.parse::<f64>()?;
    }
    Ok(sum / TICKS)
}

/// Most memory a process has had so far, in MiB (proc(5), `VmHWM`).
pub(crate) fn peak_mib(pid: u32) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(kib.context("VmHWM in /proc/pid/status")?.parse::<f64>()? / 1024.0)
}
