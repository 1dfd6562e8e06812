//! Requests in numbers, by wrk.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};

use super::instance::cpu_seconds;
use crate::process;

/// Requests that are all alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load<'l> {
    pub(crate) url: &'l str,
    /// Lua that sets `wrk.method` and its like; may be empty.
    pub(crate) script: &'l str,
    pub(crate) seconds: u32,
    pub(crate) connections: u32,
}

/// Processor time that a server, whose processes are named, spends on each
/// request of a load, in microseconds. A status of 400 or more is an error.
pub(crate) fn measure(load: &Load<'_>, server: &[u32], scratch: &Path) -> Result<f64> {
    let script = scratch.join("load.lua");
    fs::write(&script, load.script)?;
    let before = total_cpu(server)?;
    let report = process::stdout(
        process::program("wrk")
            .args(["-t", "1", "-c", &load.connections.to_string()])
            .args(["-d", &format!("{}s", load.seconds)])
            .arg("-s")
            .arg(&script)
            .arg(load.url),
    )?;
    let cpu = total_cpu(server)? - before;
    let report = String::from_utf8_lossy(&report).into_owned();
    if report.contains("Non-2xx") || report.contains("Socket errors") {
        bail!("the load was not served as it should be:\n{report}");
    }
    let requests = requests(&report).with_context(|| format!("wrk's report:\n{report}"))?;
    Ok(cpu * 1e6 / requests)
}

fn total_cpu(processes: &[u32]) -> Result<f64> {
    processes.iter().map(|&pid| cpu_seconds(pid)).sum()
}

/// The number before "requests in".
fn requests(report: &str) -> Option<f64> {
    let line = report.lines().find(|line| line.contains(" requests in "))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_requests_is_found_in_the_report() {
        let report = "Running 3s test @ http://h/\n  412873 requests in 3.10s, 82.11MB read\n";
        assert_eq!(requests(report), Some(412_873.0));
        assert_eq!(requests("unable to connect"), None);
    }
}
