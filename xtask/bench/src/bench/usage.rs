//! What a process used up to its end, from proc(5).

use std::{
    fs,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use super::{memory::peak_mib, processor::cpu_seconds};
use xtask::process;

/// What a process used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// Seconds by the clock, as far as somebody looked.
    pub(crate) seconds: f64,
    /// Seconds of processor time.
    pub(crate) cpu: f64,
    /// Resident memory at its peak, in MiB. What the last milliseconds added is not in it.
    pub(crate) peak: f64,
    /// Bytes sent to the disk: whole pages, each time that the process wrote to a clean one.
    pub(crate) written: f64,
}

/// Runs a command, which must succeed.
pub(crate) fn of_command(command: &mut Command) -> Result<Usage> {
    let mut child = command
        .spawn()
        .with_context(|| process::cannot_start(command))?;
    let usage = at_end(&mut child)?;
    let status = child.wait()?;
    let name = command.get_program().display();
    ensure!(status.success(), "`{name}` failed ({status})");
    Ok(usage)
}

/// Waits until a child ends by itself, and reads its counters before they are gone.
pub(crate) fn at_end(child: &mut Child) -> Result<Usage> {
    const LOOK: Duration = Duration::from_millis(5);
    let (pid, began) = (child.id(), Instant::now());
    let mut peak = 0_f64;
    while !has_ended(pid)? {
        // The memory is gone before the process is.
        peak = peak.max(peak_mib(pid).unwrap_or_default());
        thread::sleep(LOOK);
    }
    Ok(Usage {
        seconds: began.elapsed().as_secs_f64(),
        cpu: cpu_seconds(pid)?,
        peak,
        written: written(pid)?,
    })
}

/// Whether a child is a zombie, which nobody has waited for.
fn has_ended(pid: u32) -> Result<bool> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let (_, after) = stat.rsplit_once(')').context("a line of /proc/pid/stat")?;
    Ok(after.trim_start().starts_with('Z'))
}

/// The bytes that a process has sent to the disk so far.
fn written(pid: u32) -> Result<f64> {
    let io = fs::read_to_string(format!("/proc/{pid}/io"))?;
    parse_written(&io).with_context(|| format!("write_bytes in /proc/{pid}/io"))
}

fn parse_written(io: &str) -> Option<f64> {
    let mut lines = io.lines();
    lines.find_map(|line| line.strip_prefix("write_bytes:")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_for_the_disk_are_not_those_of_all_files() {
        let io = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 4096\n\
                  cancelled_write_bytes: 7\n";
        assert_eq!(parse_written(io), Some(4_096.0));
        assert_eq!(parse_written("wchar: 2\n"), None);
    }

    #[test]
    fn command_leaves_its_processor_time_and_memory() {
        let usage = of_command(
            Command::new("sh").args(["-c", "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"]),
        );
        let usage = usage.unwrap();
        assert!(usage.cpu > 0.0 && usage.peak > 0.1, "{usage:?}");
        assert!(of_command(&mut Command::new("false")).is_err());
    }
}
