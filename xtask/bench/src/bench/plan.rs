//! The plan of one benchmark run: its amounts and its programs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use tempfile::TempDir;

use super::{analytics::beside::Beside, analytics::part::Part, cpus::Cpus, instance::Binary};
use xtask::process;

/// Options of `cargo xtask bench`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// Slugline to measure, instead of building one.
    #[arg(long, value_name = "PATH")]
    pub(crate) binary: Option<PathBuf>,
    /// Another Slugline that takes part in the same rounds, such as the one before a change.
    #[arg(long, value_name = "PATH")]
    baseline: Option<PathBuf>,
    /// The profile of the build.
    #[arg(long, value_enum, default_value = "release")]
    pub(crate) profile: Profile,
    /// Measurements of each contender.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Seconds of each measurement.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: u32,
    /// Links of the benchmarks with many of them.
    #[arg(long, default_value_t = MANY_LINKS, value_parser = clap::value_parser!(u32).range(1_000..))]
    links: u32,
    /// Visits of the benchmark `analytics`.
    #[arg(long, default_value_t = 10_000_000)]
    visits: u32,
    /// What `analytics` measures the access log beside.
    #[arg(long, value_enum, default_value = "all")]
    beside: Beside,
    /// Measure only these parts of `analytics`.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PARTS")]
    only: Vec<Part>,
}

/// A profile of cargo for binaries that people use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    Release,
    Dist,
}

impl Profile {
    /// Its name for cargo, and of its folder in `target`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Dist => "dist",
        }
    }
}

/// The number of links to which the goals apply.
pub(crate) const MANY_LINKS: u32 = 1_000_000;

/// One run.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) binary: Binary,
    pub(crate) baseline: Option<Binary>,
    /// The example `actix_constant`; `None` if it was not built.
    pub(crate) actix_constant: Option<PathBuf>,
    pub(crate) cpus: Cpus,
    pub(crate) rounds: u32,
    pub(crate) seconds: u32,
    pub(crate) links: u32,
    pub(crate) visits: u32,
    pub(crate) beside: Beside,
    only: Vec<Part>,
    scratch: TempDir,
}

impl Plan {
    /// Builds the missing programs.
    pub(crate) fn prepare(options: &Options) -> Result<Self> {
        let built = process::root().join("target").join(options.profile.name());
        let actix_constant = built.join("examples/actix_constant");
        let path = if let Some(path) = &options.binary {
            found(path)?
        } else {
            build(options.profile)?;
            built.join("slugline")
        };
        let find = |path: &Option<PathBuf>| path.as_deref().map(found).transpose();
        Ok(Self {
            binary: Binary {
                name: "slugline",
                path,
            },
            baseline: find(&options.baseline)?.map(|path| Binary {
                name: "baseline",
                path,
            }),
            actix_constant: actix_constant.exists().then_some(actix_constant),
            cpus: Cpus::of_this_machine()?,
            rounds: options.rounds,
            seconds: options.seconds,
            links: options.links,
            visits: options.visits,
            beside: options.beside,
            only: options.only.clone(),
            scratch: new_scratch(&kept()?)?,
        })
    }

    /// Every Slugline to measure.
    pub(crate) fn sluglines(&self) -> impl Iterator<Item = &Binary> {
        [&self.binary].into_iter().chain(&self.baseline)
    }

    /// Returns whether a part of `analytics` is to be measured.
    pub(crate) fn has(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    /// A folder of this run, deleted with it.
    pub(crate) fn scratch(&self, name: &str) -> Result<PathBuf> {
        let folder = self.scratch.path().join(name);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

/// The folder of data that later runs reuse.
pub(crate) fn kept() -> Result<PathBuf> {
    let folder = process::root().join("target/bench");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The name prefix of folders of single runs.
const RUN: &str = "run-";

/// Creates a folder for this run, and deletes those of interrupted runs. It is not in the usual
/// place of temporary files, which may be in memory.
fn new_scratch(kept: &Path) -> Result<TempDir> {
    for entry in fs::read_dir(kept)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(RUN) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    let mut scratch = tempfile::Builder::new();
    Ok(scratch.prefix(RUN).tempdir_in(kept)?)
}

fn build(profile: Profile) -> Result<()> {
    // A separate build, because dependencies of examples and tests would add features to the
    // binary's crates, which the released binary lacks.
    for targets in [
        ["-p", "slugline", "--bin", "slugline"],
        ["-p", "slugline-redirect", "--example", "actix_constant"],
    ] {
        let mut build = process::cargo();
        build.args(["build", "--profile", profile.name()]);
        process::run(build.args(targets))?;
    }
    Ok(())
}

fn found(path: &Path) -> Result<PathBuf> {
    fs::canonicalize(path).with_context(|| format!("there is no {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_run_takes_away_what_an_interrupted_one_left() {
        let kept = tempfile::tempdir().unwrap();
        let [old, links] = ["run-old", "links-1000"].map(|name| kept.path().join(name));
        fs::create_dir(&old).unwrap();
        fs::create_dir(&links).unwrap();
        let scratch = new_scratch(kept.path()).unwrap();
        assert!(!old.exists() && links.exists() && scratch.path().exists());
    }

    #[test]
    fn program_that_is_not_there_is_named() {
        let error = found(Path::new("/no/such/slugline")).unwrap_err();
        assert_eq!(error.to_string(), "there is no /no/such/slugline");
    }
}
