//! `cargo xtask bench`: what the service costs, as ratios within one run.
//!
//! Everything is measured from outside, on the release binary: the processor
//! time of its process divided by the requests it answered, which other jobs on
//! the machine disturb far less than the time of day.

mod analytics;
mod instance;
mod links;
mod load;
mod mcp;
mod nginx;
mod redirect;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::{process, test::packages};

/// A benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bench {
    /// Redirects beside nginx with every slug in a map.
    Redirect,
    /// Import, search, count, tags and pages among many links.
    Links,
    /// The tool `get_link` beside the REST route of the same link.
    Mcp,
    /// The access log beside ClickHouse with the same visits.
    Analytics,
}

/// How much there is of what is measured.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Sizes {
    /// Links of the benchmark `links`.
    #[arg(long, default_value_t = 1_000_000)]
    links: u32,
    /// Visits of the benchmark `analytics`.
    #[arg(long, default_value_t = 10_000_000)]
    visits: u32,
}

/// Runs the chosen benchmarks, or all.
pub(crate) fn run(chosen: &[Bench], sizes: Sizes) -> Result<()> {
    packages::ensure_programs(&[("wrk", "wrk"), ("nginx", "nginx")])?;
    process::run(process::cargo().args(["build", "--release", "-p", "slugline"]))?;
    let all = Bench::value_variants();
    for bench in if chosen.is_empty() { all } else { chosen } {
        match bench {
            Bench::Redirect => redirect::run()?,
            Bench::Links => links::run(sizes.links)?,
            Bench::Mcp => mcp::run()?,
            Bench::Analytics => analytics::run(sizes.visits)?,
        }
    }
    Ok(())
}
