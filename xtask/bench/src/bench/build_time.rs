//! The time of a build from nothing.

use std::{fs, path::Path, time::Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use super::{
    plan::{Plan, Profile},
    table::Table,
};
use xtask::process;

/// The report omits crates that took less.
const SECONDS: f64 = 5.0;

pub(crate) fn run(plan: &Plan, profile: Profile) -> Result<()> {
    let target = plan.scratch("build")?;
    let mut build = process::cargo();
    build
        .args([
            "build",
            "--timings",
            "--profile",
            profile.name(),
            "-p",
            "slugline",
        ])
        .arg("--target-dir")
        .arg(&target);
    let began = Instant::now();
    process::run(&mut build)?;
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "\nbuild: profile {}, from nothing, {seconds:.0} s\n",
        profile.name()
    );
    let mut table = Table::new(["crates of more than 5 s", "seconds"]);
    for (name, seconds) in slow_crates(&target.join("cargo-timings/cargo-timing.html"))? {
        table.row([name, format!("{seconds:.1}")]);
    }
    print!("{table}");
    Ok(())
}

fn slow_crates(report: &Path) -> Result<Vec<(String, f64)>> {
    let page = fs::read_to_string(report).with_context(|| report.display().to_string())?;
    let mut crates = parse(&page).context("the units in cargo's report about times")?;
    crates.retain(|(_, seconds)| *seconds > SECONDS);
    crates.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    Ok(crates)
}

/// The units in the script of the `cargo build --timings` page, with names and seconds.
fn parse(page: &str) -> Option<Vec<(String, f64)>> {
    let (_, units) = page.split_once("UNIT_DATA = ")?;
    let (units, _) = units.split_once("];")?;
    let units: Vec<Value> = serde_json::from_str(&format!("{units}]")).ok()?;
    let unit = |unit: &Value| {
        let text = |member: &str| unit[member].as_str().unwrap_or_default().to_owned();
        let name = format!("{} {}{}", text("name"), text("version"), text("target"));
        Some((name, unit["duration"].as_f64()?))
    };
    units.iter().map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_found_in_the_page() {
        let page = r#"<script>const UNIT_DATA = [
          {"i": 0, "name": "ring", "version": "0.17.1", "target": " build script (run)",
           "start": 0.1, "duration": 7.25, "unblocked_units": []}
        ];
        const CONCURRENCY_DATA = [];</script>"#;
        let name = "ring 0.17.1 build script (run)".to_owned();
        assert_eq!(parse(page), Some(vec![(name, 7.25)]));
        assert_eq!(parse("<html>"), None);
    }
}
