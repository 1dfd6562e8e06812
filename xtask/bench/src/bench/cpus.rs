//! Puts server and load on one CPU each, so that neither takes time from the other.

use std::{ffi::OsStr, fs, process::Command};

use anyhow::{Context, Result};

use xtask::process;

/// The CPUs for measured programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cpus {
    /// Any CPU that the system chooses.
    Any,
    /// The numbers of two CPUs.
    Apart { server: u32, load: u32 },
}

impl Cpus {
    /// The first two CPUs that this process may use; `Any` if there is one.
    pub(crate) fn of_this_machine() -> Result<Self> {
        let status = fs::read_to_string("/proc/self/status")?;
        let list = status
            .lines()
            .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let cpus = parse_list(
            list.context("Cpus_allowed_list in /proc/self/status")?
                .trim(),
        )?;
        Ok(match cpus[..] {
            [server, load, ..] => Self::Apart { server, load },
            _ => Self::Any,
        })
    }

    /// A command that starts a server on its CPU. It keeps its process id, because `taskset`
    /// becomes the program.
    pub(crate) fn server(self, program: impl AsRef<OsStr>) -> Command {
        match self {
            Self::Any => process::program(program),
            Self::Apart { server, .. } => pinned(server, program),
        }
    }

    /// A command that starts a load generator on its CPU.
    pub(crate) fn load(self, program: impl AsRef<OsStr>) -> Command {
        match self {
            Self::Any => process::program(program),
            Self::Apart { load, .. } => pinned(load, program),
        }
    }

    /// One line for the report.
    pub(crate) fn describe(self) -> String {
        match self {
            Self::Any => "one CPU only: server and load share it, so ratios are rougher".into(),
            Self::Apart { server, load } => {
                format!("servers run on CPU {server}, the load on CPU {load}")
            }
        }
    }
}

fn pinned(cpu: u32, program: impl AsRef<OsStr>) -> Command {
    let mut command = process::program("taskset");
    command.args(["-c", &cpu.to_string()]).arg(program);
    command
}

/// Numbers and ranges of them, such as `0-2,5`.
fn parse_list(list: &str) -> Result<Vec<u32>> {
    let mut cpus = Vec::new();
    for part in list.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let parse = |number: &str| {
            number
                .parse::<u32>()
                .with_context(|| format!("a list of CPUs: {list}"))
        };
        cpus.extend(parse(from)?..=parse(to)?);
    }
    Ok(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_of_cpus_has_numbers_and_ranges() {
        assert_eq!(parse_list("0-2,5,8-9").unwrap(), [0, 1, 2, 5, 8, 9]);
        assert_eq!(parse_list("3").unwrap(), [3]);
        assert!(parse_list("all").is_err());
    }

    #[test]
    fn server_and_load_start_on_different_cpus() {
        let cpus = Cpus::Apart { server: 4, load: 7 };
        let words = |command: Command| command.get_args().map(OsStr::to_owned).collect::<Vec<_>>();
        assert_eq!(words(cpus.server("nginx")), ["-c", "4", "nginx"]);
        assert_eq!(words(cpus.load("wrk")), ["-c", "7", "wrk"]);
        assert_eq!(words(Cpus::Any.load("wrk")), [""; 0]);
    }
}
