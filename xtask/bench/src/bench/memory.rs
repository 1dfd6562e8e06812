//! Memory of a running process, from proc(5).

use std::fs;

use anyhow::{Context, Result};

/// Resident memory, in MiB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Memory {
    /// The current value (`VmRSS`).
    pub(crate) resident: f64,
    /// The peak so far (`VmHWM`).
    pub(crate) peak: f64,
}

impl Memory {
    pub(crate) fn of(pid: u32) -> Result<Self> {
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        parse(&status).with_context(|| format!("VmRSS and VmHWM in /proc/{pid}/status"))
    }
}

/// The peak memory of a process, in MiB.
pub(crate) fn peak_mib(pid: u32) -> Result<f64> {
    Ok(Memory::of(pid)?.peak)
}

fn parse(status: &str) -> Option<Memory> {
    let mib = |name: &str| {
        let mut lines = status.lines();
        let kib = lines.find_map(|line| line.strip_prefix(name)?.split_whitespace().next())?;
        Some(kib.parse::<f64>().ok()? / 1024.0)
    };
    Some(Memory {
        resident: mib("VmRSS:")?,
        peak: mib("VmHWM:")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_kib_and_told_in_mib() {
        let status = "Name:\tx\nVmPeak:\t  9999 kB\nVmHWM:\t   3072 kB\nVmRSS:\t   2048 kB\n";
        let (resident, peak) = (2.0, 3.0);
        assert_eq!(parse(status), Some(Memory { resident, peak }));
        assert_eq!(parse("VmRSS:\t 2048 kB\n"), None);
    }
}
