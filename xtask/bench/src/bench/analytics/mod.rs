//! The embedded access log beside ClickHouse and DuckDB, with the same visits in all.
//!
//! The benchmark queries the log and ClickHouse through the API of the release binary, and DuckDB
//! in SQL; all must give the same answers. ClickHouse runs as a library behind a small HTTP server,
//! as in the tests.

mod clickhouse;
mod duckdb;
mod list;
pub(super) mod page;
mod piped;
mod questions;
mod scans;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use super::{
    instance::{self, Instance},
    memory::peak_mib,
    plan::Plan,
};
use clickhouse::ClickHouse;
use duckdb::DuckDb;
use questions::Service;
use xtask::{process, programs::python};

/// Written once a log holds all visits; contains the speed of loading.
const LOADED: &str = "loaded.txt";

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let visits = plan.visits;
    let folder = kept(plan);
    let (mine, report) = embedded(plan)?;
    println!("\nthrough the recorder to the disk, every visit a row");
    println!("embedded log:\n{report}");
    if plan.alone {
        let ours = Instance::start(&plan.binary, &mine)?;
        questions::compare(&mut service("embedded", &ours, &[]), &mut [])?;
        page::measure(&ours, None)?;
        println!(
            "peak memory of the whole service {:.0} MiB",
            peak_mib(ours.pid())?
        );
        return ours.stop();
    }

    python::install()?;
    let (theirs, report) = prepared(&folder.join("clickhouse"), |data| {
        let clickhouse = ClickHouse::start(&data.join("server"))?;
        // A temporary spool, which holds the visits on their way.
        let spool = data.join("spool.db");
        let report = load(visits, &spool, Some(clickhouse.url()))?;
        fs::remove_file(spool)?;
        Ok(report)
    })?;
    println!("ClickHouse:\n{report}");
    let (table, _) = prepared(&folder.join("duckdb"), |data| {
        let csv = data.join("visits.csv");
        let mut export = instance::command(&plan.binary, &mine);
        process::run(export.args(["visits", "export"]).arg(&csv))?;
        DuckDb::start(&data.join("visits.duckdb"))?.load(&csv)?;
        fs::remove_file(csv)?;
        Ok(String::new())
    })?;
    println!("(kept in target/bench/analytics-{visits}; delete it to load again)");

    let clickhouse = ClickHouse::start(&theirs.join("server"))?;
    let settings = [("SLUGLINE_ANALYTICS_URL", clickhouse.url())];
    let theirs = Instance::start_with(&plan.binary, &theirs, &settings)?;
    let ours = Instance::start(&plan.binary, &mine)?;
    let mut duckdb = DuckDb::start(&table.join("visits.duckdb"))?;
    println!(
        "of ClickHouse's times, {:.1} ms are of the server that passes statements on",
        clickhouse.empty_ms()?
    );
    questions::compare(
        &mut service("embedded", &ours, &[]),
        &mut [
            &mut service("ClickHouse", &theirs, &[clickhouse.pid()]),
            &mut duckdb,
        ],
    )?;
    page::measure(&ours, Some(&theirs))?;
    println!(
        "peak memory of the whole service {:.0} MiB; ClickHouse's {:.0} MiB, DuckDB's {:.0} MiB",
        peak_mib(ours.pid())?,
        peak_mib(clickhouse.pid())?,
        peak_mib(duckdb.pid())?
    );
    theirs.stop()?;
    drop((clickhouse, duckdb));
    scans::measure(&ours, &folder)?;
    ours.stop()
}

/// The data folder with the embedded log of the plan's visits, and what the recorder said. It is
/// filled once and stays for later runs.
pub(super) fn embedded(plan: &Plan) -> Result<(PathBuf, String)> {
    prepared(&kept(plan).join("embedded"), |data| {
        load(plan.visits, &data.join("analytics.db"), None)
    })
}

fn kept(plan: &Plan) -> PathBuf {
    process::root().join(format!("target/bench/analytics-{}", plan.visits))
}

fn service<'i>(name: &'static str, instance: &'i Instance, beside: &[u32]) -> Service<'i> {
    Service {
        name,
        instance,
        processes: [&[instance.pid()], beside].concat(),
    }
}

/// Returns a folder and what was said when it was filled, maybe by a run before.
fn prepared(
    folder: &Path,
    fill: impl FnOnce(&Path) -> Result<String>,
) -> Result<(PathBuf, String)> {
    let report = folder.join(LOADED);
    if !report.exists() {
        // Removes the remains of an interrupted run.
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder)?;
        fs::write(&report, fill(folder)?)?;
    }
    Ok((folder.to_owned(), fs::read_to_string(report)?))
}

/// Sends visits through the recorder; returns its report.
fn load(visits: u32, file: &Path, clickhouse: Option<&str>) -> Result<String> {
    let mut bench = recorder();
    bench.arg(visits.to_string()).arg(file).args(clickhouse);
    Ok(String::from_utf8(process::stdout(&mut bench)?)?)
}

/// The benchmark of the recorder, still without arguments.
pub(super) fn recorder() -> Command {
    let mut bench = process::cargo();
    bench.args(["bench", "-p", "slugline", "--bench", "recorder", "--"]);
    bench
}
