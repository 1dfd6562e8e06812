//! `cargo xtask bench`: the costs of the service, as ratios within one run.
//!
//! It measures the release binary from outside: the processor time of its process divided by
//! the requests it answered, which other jobs on the machine disturb far less than elapsed
//! time. `docs/performance.md` explains the tables.

mod analytics;
mod catalogue;
mod contender;
mod cpus;
mod create;
mod dataset;
mod disk;
mod export;
mod follower;
mod goal;
mod guard;
mod import;
mod instance;
mod links;
mod load;
mod machine;
mod memory;
mod misses;
mod nginx;
mod plan;
mod postgres;
mod processor;
mod redirect;
mod samples;
mod scripts;
mod start;
mod table;
mod visitors;
mod visits;
mod yardstick;

use anyhow::Result;
use clap::ValueEnum;

pub(crate) use plan::Options;
use plan::Plan;
use xtask::programs::packages;

/// A benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bench {
    /// Warm redirects beside nginx and a bare actix-web server.
    Redirect,
    /// Redirects of 200 to 1,000,000 links by Zipf's law, beside nginx's map of them.
    Catalogue,
    /// Redirects among many links just after a start, and slugs that no link has.
    Misses,
    /// New links beside the disk's own pace, and an import.
    Create,
    /// Time to the first redirect, and memory.
    Start,
    /// Import, search, count, tags and pages among many links, on SQLite and on PostgreSQL.
    Links,
    /// New links and unknown slugs on PostgreSQL, beside single inserts by pgbench.
    Postgres,
    /// The access log beside ClickHouse with the same visits.
    Analytics,
}

/// Runs the chosen benchmarks, or all. A missed goal is not a failure.
pub(crate) fn run(chosen: &[Bench], options: &Options) -> Result<()> {
    packages::ensure_programs(&[
        ("wrk", "wrk"),
        ("nginx", "nginx"),
        ("taskset", "util-linux"),
    ])?;
    let plan = Plan::prepare(options)?;
    machine::describe(&plan, options)?;
    let all = Bench::value_variants();
    for bench in if chosen.is_empty() { all } else { chosen } {
        match bench {
            Bench::Redirect => redirect::run(&plan)?,
            Bench::Catalogue => catalogue::run(&plan)?,
            Bench::Misses => misses::run(&plan)?,
            Bench::Create => create::run(&plan)?,
            Bench::Start => start::run(&plan)?,
            Bench::Links => links::run(&plan)?,
            Bench::Postgres => postgres::run(&plan)?,
            Bench::Analytics => analytics::run(&plan)?,
        }
    }
    Ok(())
}
