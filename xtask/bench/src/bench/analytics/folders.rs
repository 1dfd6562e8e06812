//! Folders that stay for later runs.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;

use crate::bench::plan::Plan;
use xtask::process;

/// Written once a folder is complete; contains what was said when it was filled.
const LOADED: &str = "loaded.txt";

/// The folder of all data about the plan's visits.
pub(super) fn kept(plan: &Plan) -> PathBuf {
    process::root().join(format!("target/bench/analytics-{}", plan.visits))
}

/// The data folder with the embedded log of the plan's visits, and what the recorder said.
pub(super) fn embedded(plan: &Plan) -> Result<(PathBuf, String)> {
    prepared(&kept(plan).join("embedded"), |data| {
        record(plan.visits, &data.join("analytics.db"))
    })
}

/// Returns a folder and what was said when it was filled, maybe by a run before.
pub(super) fn prepared(
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
fn record(visits: u32, file: &Path) -> Result<String> {
    let mut bench = process::cargo("bench -p slugline --bench recorder --");
    bench.arg(visits.to_string()).arg(file);
    Ok(String::from_utf8(process::stdout(&mut bench)?)?)
}
