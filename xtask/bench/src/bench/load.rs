//! Load from wrk.

use std::{fs, path::Path, thread, time::Duration};

use anyhow::{Context, Result, ensure};

use super::{cpus::Cpus, processor::Meter};
use xtask::process;

/// Requests of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load<'l> {
    pub(crate) url: &'l str,
    /// Lua that sets `wrk.method` and similar fields; may be empty.
    pub(crate) script: &'l str,
    pub(crate) seconds: u32,
    pub(crate) connections: u32,
    pub(crate) answers: Answers,
    /// The time after the last answer that the measurement includes.
    pub(crate) settle: Duration,
    pub(crate) cpus: Cpus,
}

/// The delay until the last cost of a visit: Slugline and nginx write their access logs up to a
/// second later.
pub(crate) const SETTLE: Duration = Duration::from_millis(1_500);

/// The expected statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// All below 400.
    Good,
    /// All 400 and above.
    Refusals,
}

/// The cost of a load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Processor time for each request, in microseconds.
    pub(crate) micros: f64,
    /// Requests per second.
    pub(crate) rate: f64,
    /// Requests in all.
    pub(crate) requests: f64,
}

/// Measures the cost of a load for a server with these processes. An unexpected status is an
/// error.
pub(crate) fn measure(load: &Load<'_>, server: &[u32], scratch: &Path) -> Result<Cost> {
    let meter = Meter::start(server)?;
    let report = wrk(load, scratch)?;
    thread::sleep(load.settle);
    let cpu = meter.seconds()?;
    let read = || Some((requests(&report)?, rate(&report)?));
    let (requests, rate) = read().with_context(|| format!("wrk's report:\n{report}"))?;
    ensure!(requests > 0.0, "no request was answered:\n{report}");
    Ok(Cost {
        micros: cpu * 1e6 / requests,
        rate,
        requests,
    })
}

/// Runs wrk and returns its report.
fn wrk(load: &Load<'_>, scratch: &Path) -> Result<String> {
    let script = scratch.join("load.lua");
    fs::write(&script, load.script)?;
    let report = process::stdout(
        load.cpus
            .load("wrk")
            .args(["-t", "1", "-c", &load.connections.to_string()])
            .args(["-d", &format!("{}s", load.seconds)])
            .args(["--timeout", "30s", "-s"])
            .arg(&script)
            .arg(load.url),
    )?;
    let report = String::from_utf8_lossy(&report).into_owned();
    ensure!(
        is_as_expected(&report, load.answers),
        "the load was not served as it should be:\n{report}"
    );
    Ok(report)
}

fn is_as_expected(report: &str, answers: Answers) -> bool {
    let refused = after(report, "Non-2xx or 3xx responses:").map(str::parse::<f64>);
    let as_asked = match (answers, refused) {
        (Answers::Good, refused) => refused.is_none(),
        (Answers::Refusals, Some(Ok(refused))) => Some(refused) == requests(report),
        (Answers::Refusals, _) => false,
    };
    as_asked && !report.contains("Socket errors")
}

/// The first word after `label`, on a line that begins with it.
fn after<'r>(report: &'r str, label: &str) -> Option<&'r str> {
    let mut lines = report.lines();
    lines.find_map(|line| line.trim().strip_prefix(label)?.split_whitespace().next())
}

fn rate(report: &str) -> Option<f64> {
    after(report, "Requests/sec:")?.parse().ok()
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
    fn rate_is_found_in_the_report() {
        let report = "    99%    3.10ms\nRequests/sec:   1586.20\n";
        assert_eq!(rate(report), Some(1586.2));
        assert_eq!(after(report, "75%"), None);
    }

    #[test]
    fn the_number_of_requests_is_found_in_the_report() {
        let report = "Running 3s test @ http://h/\n  412873 requests in 3.10s, 82.11MB read\n";
        assert_eq!(requests(report), Some(412_873.0));
        assert_eq!(requests("unable to connect"), None);
    }

    #[test]
    fn every_answer_has_to_be_of_the_expected_kind() {
        let good = "  500 requests in 3.10s, 82.11MB read\nRequests/sec: 161.3\n";
        let refused = format!("{good}  Non-2xx or 3xx responses: 500\n");
        let mixed = format!("{good}  Non-2xx or 3xx responses: 3\n");
        let broken = format!("{good}  Socket errors: connect 0, read 5, write 0, timeout 0\n");
        assert!(is_as_expected(good, Answers::Good));
        assert!(is_as_expected(&refused, Answers::Refusals));
        for report in [&refused, &mixed, &broken] {
            assert!(!is_as_expected(report, Answers::Good), "{report}");
        }
        for report in [good, &mixed, &broken] {
            assert!(!is_as_expected(report, Answers::Refusals), "{report}");
        }
    }
}
