//! Imports many links as one document.

use std::{fs, path::Path, time::Instant};

use anyhow::Result;

use super::{
    export,
    goal::{self, Limit},
    instance,
    plan::Plan,
    samples::Samples,
    table::Table,
};

/// The links of an import.
const LINKS: u32 = 100_000;
/// An import takes seconds, and its rounds differ little.
const ROUNDS: u32 = 3;

/// Prints the time of an import into an empty folder.
pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<()> {
    let links = LINKS.min(plan.links);
    let document = folder.join("import.json");
    export::write(&document, links)?;
    let mut seconds: Vec<_> = plan.sluglines().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS.min(plan.rounds) {
        for (binary, seconds) in plan.sluglines().zip(&mut seconds) {
            let data = folder.join("imported");
            let began = Instant::now();
            instance::import(binary, &data, &[], &document)?;
            seconds.push(began.elapsed().as_secs_f64());
            fs::remove_dir_all(data)?;
        }
    }
    println!("\nimport: {links} links into an empty folder\n");
    let mut table = Table::new(["seconds", "median", "min–max", "links per s"]);
    let mut ours = None;
    for (binary, seconds) in plan.sluglines().zip(seconds) {
        let seconds = Samples::new(seconds)?;
        table.row([
            binary.name.to_owned(),
            seconds.middle(2),
            seconds.range(2),
            format!("{:.0}", f64::from(links) / seconds.median()),
        ]);
        ours.get_or_insert(seconds);
    }
    print!("{table}");
    if let Some(ours) = ours {
        let what = format!("import of {links} links");
        goal::report(&what, Limit::AtMost(5.0), "s", ours.median());
    }
    Ok(())
}
