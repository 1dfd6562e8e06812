//! The size of the binary without its symbols.

use std::{fs, path::Path};

use anyhow::Result;

use super::{
    goal::{self, Limit},
    plan::Plan,
    table::Table,
};
use xtask::process;

pub(crate) fn run(plan: &Plan) -> Result<()> {
    println!("\nsize: without symbols\n");
    let mut table = Table::new(["MiB", "binary"]);
    let mut ours = None;
    for binary in plan.sluglines() {
        let mib = stripped_mib(&binary.path, &plan.scratch("size")?)?;
        table.row([binary.name.to_owned(), format!("{mib:.2}")]);
        ours.get_or_insert(mib);
    }
    print!("{table}");
    if let Some(mib) = ours {
        goal::report("size of the binary", Limit::AtMost(25.0), "MiB", mib);
    }
    Ok(())
}

fn stripped_mib(binary: &Path, scratch: &Path) -> Result<f64> {
    let copy = scratch.join("stripped");
    process::run(process::program("strip").arg("-o").arg(&copy).arg(binary))?;
    // KiB, so that the number is exact as a float.
    let kib = fs::metadata(&copy)?.len() / 1024;
    Ok(f64::from(u32::try_from(kib)?) / 1024.0)
}
