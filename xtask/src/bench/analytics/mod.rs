//! The embedded access log beside ClickHouse, with the same visits in both.
//!
//! The benchmark queries both through the API of the release binary, and both must give the
//! same answers. ClickHouse runs as a library behind a small HTTP server, as in the tests.

mod clickhouse;
mod page;
mod questions;
mod scans;

use std::{fs, path::Path};

use anyhow::Result;

use super::{instance::Instance, memory::peak_mib, plan::Plan};
use crate::{process, test::python};
use clickhouse::ClickHouse;
use questions::Side;

/// Written once both logs hold all visits; contains the speed of loading.
const LOADED: &str = "loaded.txt";

pub(crate) fn run(plan: &Plan) -> Result<()> {
    let visits = plan.visits;
    python::install()?;
    let folder = process::root().join(format!("target/bench/analytics-{visits}"));
    let (ours, theirs) = (folder.join("ours"), folder.join("theirs"));
    let report = folder.join(LOADED);
    if !report.exists() {
        // Removes the remains of an interrupted run.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&ours)?;
        fs::create_dir_all(&theirs)?;
    }
    let clickhouse = ClickHouse::start(&folder.join("clickhouse"))?;
    if !report.exists() {
        let own = load(visits, &ours.join("analytics.db"), None)?;
        // A temporary spool, which holds the visits on their way.
        let spool = folder.join("spool.db");
        let other = load(visits, &spool, Some(clickhouse.url()))?;
        fs::remove_file(spool)?;
        fs::write(&report, format!("embedded log:\n{own}ClickHouse:\n{other}"))?;
    }
    println!("\nthrough the recorder to the disk, every visit a row");
    println!("{}", fs::read_to_string(&report)?);
    println!("(kept in target/bench/analytics-{visits}; delete it to load again)");

    let settings = [("SLUGLINE_ANALYTICS_URL", clickhouse.url())];
    let theirs = Instance::start_with(&plan.binary, &theirs, &settings)?;
    let ours = Instance::start(&plan.binary, &ours)?;
    let own_side = Side {
        instance: &ours,
        processes: vec![ours.pid()],
    };
    let other_side = Side {
        instance: &theirs,
        processes: vec![theirs.pid(), clickhouse.pid()],
    };
    questions::compare(&own_side, &other_side)?;
    page::measure(&ours, &theirs)?;
    println!(
        "peak memory of the whole service {:.0} MiB; ClickHouse's {:.0} MiB",
        peak_mib(ours.pid())?,
        peak_mib(clickhouse.pid())?
    );
    theirs.stop()?;
    drop(clickhouse);
    scans::measure(&ours, &folder)?;
    ours.stop()
}

/// Sends visits through the recorder; returns its report.
fn load(visits: u32, file: &Path, clickhouse: Option<&str>) -> Result<String> {
    let mut bench = process::cargo();
    bench
        .args([
            "bench",
            "-p",
            "slugline-analytics",
            "--bench",
            "recorder",
            "--",
        ])
        .arg(visits.to_string())
        .arg(file)
        .args(clickhouse);
    Ok(String::from_utf8(process::stdout(&mut bench)?)?)
}
