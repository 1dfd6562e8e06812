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

/// How long requests took, in milliseconds, and how many there were.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Latency {
    pub(crate) median: f64,
    /// What 99 of 100 stay below.
    pub(crate) worst: f64,
    /// Requests per second.
    pub(crate) rate: f64,
}

/// Measures how long the requests of a load take.
pub(crate) fn latency(load: &Load<'_>, scratch: &Path) -> Result<Latency> {
    let report = wrk(load, scratch)?;
    let read = || {
        let time = |share| milliseconds(after(&report, share)?);
        Some(Latency {
            median: time("50%")?,
            worst: time("99%")?,
            rate: after(&report, "Requests/sec:")?.parse().ok()?,
        })
    };
    read().with_context(|| format!("wrk's report:\n{report}"))
}

/// Processor time that a server, whose processes are named, spends on each
/// request of a load, in microseconds. A status of 400 or more is an error.
pub(crate) fn measure(load: &Load<'_>, server: &[u32], scratch: &Path) -> Result<f64> {
    let before = total_cpu(server)?;
    let report = wrk(load, scratch)?;
    let cpu = total_cpu(server)? - before;
    let requests = requests(&report).with_context(|| format!("wrk's report:\n{report}"))?;
    Ok(cpu * 1e6 / requests)
}

/// Runs wrk and gives its report.
fn wrk(load: &Load<'_>, scratch: &Path) -> Result<String> {
    let script = scratch.join("load.lua");
    fs::write(&script, load.script)?;
    let report = process::stdout(
        process::program("wrk")
            .args(["-t", "1", "-c", &load.connections.to_string()])
            .args(["-d", &format!("{}s", load.seconds), "--latency"])
            .arg("-s")
            .arg(&script)
            .arg(load.url),
    )?;
    let report = String::from_utf8_lossy(&report).into_owned();
    if report.contains("Non-2xx") || report.contains("Socket errors") {
        bail!("the load was not served as it should be:\n{report}");
    }
    Ok(report)
}

/// The word after another that a line begins with.
fn after<'r>(report: &'r str, label: &str) -> Option<&'r str> {
    let mut lines = report.lines();
    lines.find_map(|line| line.trim().strip_prefix(label)?.split_whitespace().next())
}

/// A time such as `1.23ms`.
fn milliseconds(time: &str) -> Option<f64> {
    let units = [("us", 1e-3), ("ms", 1.0), ("s", 1e3)];
    units.iter().find_map(|(unit, factor)| {
        let number: f64 = time.strip_suffix(unit)?.parse().ok()?;
        Some(number * factor)
    })
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
    fn times_are_found_in_the_report() {
        let report = "    50%  812.00us\n    99%    3.10ms\nRequests/sec:   1586.20\n";
        assert_eq!(after(report, "50%").and_then(milliseconds), Some(0.812));
        assert_eq!(after(report, "99%").and_then(milliseconds), Some(3.1));
        assert_eq!(after(report, "Requests/sec:"), Some("1586.20"));
        assert_eq!(milliseconds("1.50s"), Some(1_500.0));
        assert_eq!(after(report, "75%"), None);
    }

    #[test]
    fn the_number_of_requests_is_found_in_the_report() {
        let report = "Running 3s test @ http://h/\n  412873 requests in 3.10s, 82.11MB read\n";
        assert_eq!(requests(report), Some(412_873.0));
        assert_eq!(requests("unable to connect"), None);
    }
}
