//! `cargo xtask upgrade`: an earlier revision and this one on the same data, under load.
//!
//! On PostgreSQL, nodes of both versions run beside each other; on SQLite, one version runs
//! after the other in the same data folder. It builds the earlier revision in a worktree of its
//! own, which takes minutes, so it is not part of `cargo xtask ci`.

mod load;
mod versions;

use std::{
    process::Command,
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use xtask::programs::{packages, postgres::Cluster};

use self::{
    load::{Load, Promises, destination, location},
    versions::Versions,
};
use crate::bench::{
    instance::{self, Binary, Instance},
    visitor::Visitor,
};

/// The time for which nodes of both versions serve together.
const TOGETHER: Duration = Duration::from_secs(20);

/// Edits on a node of the earlier version whose arrival on the new one is measured.
const EDITS: u32 = 50;

/// A change that takes longer to show counts as lost.
const LOST: Duration = Duration::from_secs(90);

/// Runs both upgrades, prints what came of them, and fails if a redirect failed or a write was
/// lost.
pub(crate) fn run(from: &str) -> Result<()> {
    let programs = packages::ensure()?;
    let versions = Versions::build(from)?;
    let cluster = Cluster::start(&programs)?;
    let beside = beside(&versions, cluster.url())?;
    let after = one_after_the_other(&versions)?;
    ensure!(beside && after, "a redirect failed or a write was lost");
    Ok(())
}

/// Two nodes of the earlier version; a new one starts beside them, and then they stop. If the new one
/// refuses to, they stop first.
fn beside(versions: &Versions, database: &str) -> Result<bool> {
    println!("\n{} and this version on one PostgreSQL", versions.from);
    let folders = tempfile::tempdir()?;
    let start = |binary: &Binary, name: &str| {
        let settings = [("SLUGLINE_DATABASE_URL", database)];
        Instance::start_with(binary, &folders.path().join(name), &settings)
    };
    let promises = Promises::default();
    let former = [start(&versions.former, "a")?, start(&versions.former, "b")?];
    promises.make_known(&former[0])?;

    let (new, starting) = Load::on(&[&former[0], &former[1]], &promises, || {
        sleep(Duration::from_secs(2));
        let begun = Instant::now();
        let new = start(&versions.new, "c");
        match &new {
            Ok(_) => println!(
                "the new node serves after {:.1} s",
                begun.elapsed().as_secs_f64()
            ),
            Err(error) => println!("the new version refuses beside the earlier one: {error:#}"),
        }
        sleep(Duration::from_secs(2));
        Ok(new.ok())
    })?;
    starting.report("while the new node starts beside the others");
    let mut loads = vec![starting];
    let new = if let Some(new) = new {
        loads.push(both_versions(&former, &new, &promises)?);
        let ((), rolling) = Load::on(&[&new], &promises, || stop(former))?;
        rolling.report("the new node while the others stop");
        loads.push(rolling);
        new
    } else {
        stop(former)?;
        let new = start(&versions.new, "c")?;
        let ((), alone) = Load::on(&[&new], &promises, || {
            sleep(TOGETHER / 4);
            Ok(())
        })?;
        alone.report("the new node after the others have stopped");
        loads.push(alone);
        new
    };
    let mut again = instance::command(&versions.former, &folders.path().join("d"));
    again.env("SLUGLINE_DATABASE_URL", database);
    let refusal = refusal(&mut again)?;
    println!("an earlier node that starts now: {refusal}");
    let lost = promises.lost_on(&new)?;
    new.stop()?;
    Ok(conclude(&lost, &loads))
}

/// Nodes of both versions serve for a while.
fn both_versions(former: &[Instance; 2], new: &Instance, promises: &Promises) -> Result<Load> {
    let ((), together) = Load::on(&[&former[0], &former[1], new], promises, || {
        sleep(TOGETHER);
        Ok(())
    })?;
    together.report("nodes of both versions");
    let delays = arrivals(&former[0], new)?;
    println!(
        "an edit by the earlier version shows on the new node after {:.0} ms (median of {EDITS}), \
         {:.0} ms at worst",
        delays[delays.len() / 2],
        delays[delays.len() - 1]
    );
    Ok(together)
}

fn stop(nodes: [Instance; 2]) -> Result<()> {
    nodes.into_iter().try_for_each(Instance::stop)
}

/// The earlier version fills a data folder, the new one goes on with it, and the earlier one
/// tries again.
fn one_after_the_other(versions: &Versions) -> Result<bool> {
    println!("\n{}, then this version in one data folder", versions.from);
    let place = tempfile::tempdir()?;
    let folder = place.path().join("data");
    // The access log has a format of its own, and tests with files of earlier releases.
    let log = |binary: &Binary| {
        let file = place.path().join(format!("{}.db", binary.name));
        format!("sqlite://{}", file.display())
    };
    let start = |binary: &Binary| {
        let settings = [("SLUGLINE_ANALYTICS_URL", &*log(binary))];
        Instance::start_with(binary, &folder, &settings)
    };
    let promises = Promises::default();
    let mut loads = Vec::new();
    let mut lost = Vec::new();
    for binary in [&versions.former, &versions.new] {
        let node = start(binary)?;
        if loads.is_empty() {
            promises.make_known(&node)?;
        }
        lost.extend(promises.lost_on(&node)?);
        let ((), load) = Load::on(&[&node], &promises, || {
            sleep(TOGETHER / 4);
            Ok(())
        })?;
        load.report(&format!("the {} version", binary.name));
        loads.push(load);
        node.stop()?;
    }
    let mut again = instance::command(&versions.former, &folder);
    again.env("SLUGLINE_ANALYTICS_URL", log(&versions.former));
    let refusal = refusal(&mut again)?;
    println!("the earlier version on the new folder: {refusal}");
    let node = start(&versions.new)?;
    lost.extend(promises.lost_on(&node)?);
    node.stop()?;
    Ok(conclude(&lost, &loads))
}

fn conclude(lost: &[String], loads: &[Load]) -> bool {
    let failed: usize = loads.iter().map(|load| load.failed.len()).sum();
    let redirects: u64 = loads.iter().map(|load| load.redirects).sum();
    let writes: u64 = loads.iter().map(|load| load.writes).sum();
    println!(
        "redirects {redirects}, failed {failed}; writes acknowledged {writes}, lost {}",
        lost.len()
    );
    for lost in lost.iter().take(5) {
        println!("  lost: {lost}");
    }
    failed == 0 && lost.is_empty() && redirects > 0 && writes > 0
}

/// The milliseconds until edits on one node show on another, in order of length.
fn arrivals(author: &Instance, other: &Instance) -> Result<Vec<f64>> {
    let slug = "seen-elsewhere";
    let visitor = Visitor::new();
    let link = |version| json!({"slug": slug, "url": destination(version)});
    author.send("POST", "/api/link/create", &link(0))?;
    let mut delays = Vec::new();
    for version in 0..=EDITS {
        if version > 0 {
            author.send("PUT", "/api/link/edit", &link(version))?;
        }
        let begun = Instant::now();
        while location(&visitor, other, slug)? != destination(version) {
            if begun.elapsed() > LOST {
                bail!("an edit by the earlier version does not show on the new node");
            }
        }
        // The first visit only puts the link into memory.
        if version > 0 {
            delays.push(begun.elapsed().as_secs_f64() * 1e3);
        }
    }
    delays.sort_by(f64::total_cmp);
    Ok(delays)
}

/// The last line of a node that must refuse to start because of the schema.
fn refusal(command: &mut Command) -> Result<String> {
    let output = command.output().context("the earlier version")?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().last().unwrap_or_default().to_owned();
    if output.status.success() || !last.contains("the schema") {
        bail!("the earlier version does not refuse the new schema clearly: {last:?}");
    }
    Ok(last)
}
