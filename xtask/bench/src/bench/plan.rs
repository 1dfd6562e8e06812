//! The plan of one benchmark run: its amounts and its programs.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use clap::Args;
use tempfile::TempDir;

use super::{analytics::beside::Beside, analytics::part::Part, cpus::Cpus, instance::Binary};
use xtask::{process, programs::target};

/// Options of `cargo xtask bench`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// Slugline to measure, instead of building one.
    #[arg(long, value_name = "PATH")]
    pub(crate) binary: Option<PathBuf>,
    /// Another Slugline that takes part in the same rounds, such as the one before a change.
    #[arg(long, value_name = "PATH")]
    baseline: Option<PathBuf>,
    /// Measure the static program of the releases as well, which this builds in some ten minutes.
    #[arg(long)]
    with_static: bool,
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

/// The number of links to which the goals apply.
pub(crate) const MANY_LINKS: u32 = 1_000_000;

/// One run.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) binary: Binary,
    /// The program of the releases.
    of_releases: Option<Binary>,
    pub(crate) baseline: Option<Binary>,
    /// The folder of the yardsticks, which are examples of this crate.
    pub(crate) yardsticks: PathBuf,
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
        let path = match &options.binary {
            Some(path) => found(path)?,
            None => build(&["-p", "slugline", "--bin", "slugline"])?.join("slugline"),
        };
        let yardsticks = build(&["-p", "slugline-bench", "--examples"])?.join("examples");
        let release = || target::release(&target::here());
        let of_releases = options.with_static.then(release).transpose()?;
        let named = |name| move |path| Binary { name, path };
        Ok(Self {
            binary: named("slugline")(path),
            of_releases: of_releases.map(named("static")),
            baseline: options
                .baseline
                .as_deref()
                .map(found)
                .transpose()?
                .map(named("baseline")),
            yardsticks,
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
        let others = self.of_releases.iter().chain(&self.baseline);
        [&self.binary].into_iter().chain(others)
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

/// Builds targets in release mode and returns the folder of their programs.
///
/// Each call is a build of its own, because dependencies of examples and tests would add features
/// to the binary's crates, which a released binary lacks.
fn build(targets: &[&str]) -> Result<PathBuf> {
    process::run(process::cargo("build --release").args(targets))?;
    Ok(target_folder().join("release"))
}

/// Cargo's folder of builds.
fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| process::root().join("target"), PathBuf::from)
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
