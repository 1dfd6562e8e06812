//! Processor time of running processes, from proc(5).

use std::{fs, io, path::Path, time::Duration};

use anyhow::{Context, Result};

/// Processor time that processes take from now on.
///
/// The threads' own counters (`/proc/pid/task/tid/schedstat`) are exact to the nanosecond, but
/// lose the part of a thread that ends. The total of the process (`/proc/pid/stat`) keeps it
/// but has ticks of 10 ms. So the meter uses the threads' sum if it agrees with the total
/// within its rounding, else the total.
#[derive(Debug)]
pub(crate) struct Meter<'p> {
    processes: &'p [u32],
    total: f64,
    threads: f64,
}

impl<'p> Meter<'p> {
    pub(crate) fn start(processes: &'p [u32]) -> Result<Self> {
        Ok(Self {
            processes,
            total: sum(processes, cpu_seconds)?,
            threads: sum(processes, |pid| threads_seconds(pid, None))?,
        })
    }

    /// Seconds since the start, user and system.
    pub(crate) fn seconds(&self) -> Result<f64> {
        let threads = sum(self.processes, |pid| threads_seconds(pid, None))? - self.threads;
        let total = sum(self.processes, cpu_seconds)? - self.total;
        Ok(finer(threads, total, self.processes.len()))
    }
}

/// The time since the start of the machine in which a CPU had nothing to do, in seconds
/// (`/proc/stat`).
pub(crate) fn idle_seconds(cpu: u32) -> Result<f64> {
    let stat = fs::read_to_string("/proc/stat")?;
    parse_idle(&stat, cpu).with_context(|| format!("cpu{cpu} in /proc/stat"))
}

/// Processor time of a process and of the children it has waited for, user and
/// system, in seconds (`/proc/pid/stat`).
pub(crate) fn cpu_seconds(pid: u32) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    parse_stat(&stat).with_context(|| format!("the line of /proc/{pid}/stat: {stat}"))
}

/// Processor time of a process's live threads with this name, or of all of them, in seconds. 0
/// if the kernel has no such counters.
pub(crate) fn threads_seconds(pid: u32, name: Option<&str>) -> Result<f64> {
    let mut nanos = 0_u64;
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let thread = thread?.path();
        let is_meant = || match name {
            None => Ok(true),
            Some(name) => anyhow::Ok(read(&thread, "comm")?.trim_end() == name),
        };
        if is_meant()? {
            let schedstat = read(&thread, "schedstat")?;
            nanos += parse_schedstat(&schedstat).unwrap_or_default();
        }
    }
    Ok(Duration::from_nanos(nanos).as_secs_f64())
}

/// A file of a thread; empty if the thread has ended.
fn read(thread: &Path, file: &str) -> Result<String> {
    /// The error of Linux when a thread ends between opening and reading.
    const NO_SUCH_PROCESS: i32 = 3;
    match fs::read_to_string(thread.join(file)) {
        Err(error)
            if error.kind() == io::ErrorKind::NotFound
                || error.raw_os_error() == Some(NO_SUCH_PROCESS) =>
        {
            Ok(String::new())
        }
        answer => Ok(answer?),
    }
}

/// Chooses the more exact of two figures; both in seconds, over `processes` processes.
fn finer(threads: f64, total: f64, processes: usize) -> f64 {
    /// User and system time are each rounded down to a tick, and some time passes between both
    /// readings.
    const ROUNDING: f64 = 0.025;
    let processes = u32::try_from(processes).unwrap_or(u32::MAX);
    if (threads - total).abs() <= ROUNDING * f64::from(processes) {
        threads
    } else {
        total
    }
}

/// Ticks per second, the same for programs on every Linux.
const TICKS: f64 = 100.0;

/// The fourth and fifth time of a CPU's line: idle, and idle while the disk works.
fn parse_idle(stat: &str, cpu: u32) -> Option<f64> {
    let name = format!("cpu{cpu} ");
    let times = stat.lines().find_map(|line| line.strip_prefix(&name))?;
    let idle = times.split_whitespace().skip(3).take(2).map(str::parse);
    let ticks: Result<Vec<f64>, _> = idle.collect();
    Some(ticks.ok()?.into_iter().sum::<f64>() / TICKS)
}

/// The sum of the four times in the line of `/proc/pid/stat`, in seconds.
fn parse_stat(stat: &str) -> Option<f64> {
    // The name before it may contain spaces and parentheses.
    let (_, after) = stat.rsplit_once(')')?;
    let fields: Vec<_> = after.split_whitespace().skip(11).take(4).collect();
    if fields.len() < 4 {
        return None;
    }
    let ticks: Result<Vec<f64>, _> = fields.into_iter().map(str::parse).collect();
    Some(ticks.ok()?.into_iter().sum::<f64>() / TICKS)
}

/// The first number of `schedstat`: nanoseconds on a processor.
fn parse_schedstat(schedstat: &str) -> Option<u64> {
    schedstat.split_whitespace().next()?.parse().ok()
}

fn sum(processes: &[u32], of: impl Fn(u32) -> Result<f64>) -> Result<f64> {
    processes.iter().map(|&pid| of(pid)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_behind_a_name_with_spaces_and_parentheses() {
        let stat = "17 (a (b) c) S 1 17 17 0 -1 4194304 99 0 0 0 250 50 20 5 20 0 9 0 88 1 2";
        assert_eq!(parse_stat(stat), Some(3.25));
        assert_eq!(parse_stat("17 (a) S 1 2"), None);
    }

    #[test]
    fn idle_time_is_that_of_the_cpu() {
        let stat =
            "cpu  9 9 9 9 9 9 9 0 0 0\ncpu0 1 2 3 400 5 6 7 0 0 0\ncpu1 1 2 3 800 50 6 7 0 0 0\n";
        assert_eq!(parse_idle(stat, 1), Some(8.5));
        assert_eq!(parse_idle(stat, 2), None);
    }

    #[test]
    fn schedstat_begins_with_time_on_a_processor() {
        assert_eq!(parse_schedstat("440512 159243 3\n"), Some(440_512));
        assert_eq!(parse_schedstat(""), None);
    }

    #[test]
    fn threads_count_unless_one_took_its_time_along() {
        assert_eq!(finer(1.004_2, 1.01, 1).to_string(), "1.0042");
        assert_eq!(finer(0.7, 1.01, 1).to_string(), "1.01");
        assert_eq!(finer(2.04, 2.0, 2).to_string(), "2.04");
    }

    #[test]
    fn work_of_this_process_shows() {
        let this = [std::process::id()];
        let meter = Meter::start(&this).unwrap();
        let began = std::time::Instant::now();
        while began.elapsed() < Duration::from_millis(200) {
            std::hint::black_box(parse_schedstat("1 2 3"));
        }
        let seconds = meter.seconds().unwrap();
        // Other tests run concurrently; a busy machine gives this one a part of the time.
        assert!(seconds > 0.005, "{seconds}");
    }

    #[test]
    fn only_threads_of_that_name_count() {
        let none = threads_seconds(std::process::id(), Some("nobody-has-it")).unwrap();
        assert_eq!(none.to_string(), "0");
    }
}
