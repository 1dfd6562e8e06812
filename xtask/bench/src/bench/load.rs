//! Measures what a load costs a server.

use std::{fs, net::SocketAddr, path::Path, thread, time::Duration};

use anyhow::{Context, Result, bail, ensure};

pub(crate) use super::visitors::Answers;
use super::{
    cpus::Cpus,
    processor::{Meter, idle_seconds},
    visitors::{self, Answered},
    visits::Visits,
};
use xtask::process;

/// Requests of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load<'l> {
    pub(crate) url: &'l str,
    pub(crate) requests: Requests<'l>,
    pub(crate) seconds: u32,
    pub(crate) connections: u32,
    pub(crate) answers: Answers,
    /// The time after the last answer that the measurement includes.
    pub(crate) settle: Duration,
    /// A measurement in which the server waited is refused.
    pub(crate) saturates: bool,
    pub(crate) cpus: Cpus,
}

/// The requests of a load.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Requests<'l> {
    Visits(&'l Visits),
    /// Those of a script in Lua for wrk, which sets `wrk.method` and similar fields.
    Script(&'l str),
}

/// Connections that keep a server busy.
pub(crate) const MANY: u32 = 64;

/// The least busy server whose cost is its own. One that waits pays the kernel for each time it
/// wakes up, which costs more than a redirect and hides the difference between servers.
const BUSY: f64 = 0.97;

/// The delay until the last cost of a visit: Slugline and nginx write their access logs up to a
/// second later.
pub(crate) const SETTLE: Duration = Duration::from_millis(1_500);

/// The cost of a load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Processor time for each request, in microseconds.
    pub(crate) micros: f64,
    /// Requests per second.
    pub(crate) rate: f64,
    /// Requests in all.
    pub(crate) requests: f64,
    /// The share of the load's time in which the server's CPU had work; 1 is one that never waited.
    pub(crate) busy: f64,
}

/// Measures the cost of a load for a server with these processes. An unexpected status is an
/// error, and so is a server that waited under a load that saturates: [`Refused`].
pub(crate) fn measure(load: &Load<'_>, server: &[u32], scratch: &Path) -> Result<Cost> {
    let meter = Meter::start(server)?;
    let idle = || match load.cpus {
        Cpus::Apart { server, .. } => idle_seconds(server),
        Cpus::Any => Ok(0.0),
    };
    let idle_before = idle()?;
    let Answered { requests, seconds } = match load.requests {
        Requests::Visits(visits) => {
            let time = Duration::from_secs(load.seconds.into());
            let (address, answers) = (load.address()?, load.answers);
            visitors::send(visits, address, load.connections, time, answers, load.cpus)?
        }
        Requests::Script(script) => wrk(load, script, scratch)?,
    };
    let idle = idle()? - idle_before;
    thread::sleep(load.settle);
    let cpu = meter.seconds()?;
    ensure!(requests > 0.0, "no request was answered");
    let busy = 1.0 - idle / seconds;
    if load.saturates && busy < BUSY {
        bail!(Refused { busy });
    }
    Ok(Cost {
        micros: cpu * 1e6 / requests,
        rate: requests / seconds,
        requests,
        busy,
    })
}

/// A measurement that counts for nothing, because the server waited.
#[derive(Debug, thiserror::Error)]
#[error("refused: the server's CPU had work for {:.1} % of the time; do others use that of the load?", busy * 100.0)]
pub(crate) struct Refused {
    busy: f64,
}

/// Tries at a measurement, since a shared machine takes CPUs away for seconds at a time.
const TRIES: u32 = 12;

/// Repeats work while a measurement in it is refused, up to the number of tries.
pub(crate) fn retry<T>(mut work: impl FnMut() -> Result<T>) -> Result<T> {
    for _ in 1..TRIES {
        match work() {
            Err(error) if error.is::<Refused>() => eprintln!("{error}"),
            done => return done,
        }
    }
    work()
}

impl Load<'_> {
    fn address(&self) -> Result<SocketAddr> {
        let address = self.url.strip_prefix("http://");
        Ok(address.context("an origin with http")?.parse()?)
    }
}

fn wrk(load: &Load<'_>, requests: &str, scratch: &Path) -> Result<Answered> {
    let script = scratch.join("load.lua");
    fs::write(&script, requests)?;
    let report = process::stdout(
        load.cpus
            .load("wrk")
            .args(["-t", "1", "-c", &load.connections.to_string()])
            .args(["-d", &format!("{}s", load.seconds)])
            .args(["--timeout", "30s", "-s"])
            .arg(&script)
            .arg(load.url),
    )?;
    let report = String::from_utf8_lossy(&report);
    ensure!(
        is_as_expected(&report, load.answers),
        "the load was not served as it should be:\n{report}"
    );
    let answered = || {
        let (requests, rate) = (self::requests(&report)?, rate(&report)?);
        let seconds = requests / rate;
        Some(Answered { requests, seconds })
    };
    answered().with_context(|| format!("wrk's report:\n{report}"))
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
    fn only_refused_measurements_are_repeated() {
        let (mut refused, mut broken) = (0, 0);
        let work = || -> Result<()> {
            refused += 1;
            bail!(Refused { busy: 0.5 })
        };
        let error = retry(work).unwrap_err().to_string();
        assert!(error.contains("50.0 %"), "{error}");
        let work = || -> Result<()> {
            broken += 1;
            bail!("wrk is gone")
        };
        retry(work).unwrap_err();
        assert_eq!((refused, broken), (TRIES, 1));
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
