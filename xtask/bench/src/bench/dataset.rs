//! Data folders with many links, imported once and copied for each run.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result};

use super::{
    export,
    follower::Follower,
    instance::{self, Binary, Instance},
    machine,
    plan::{self, Plan},
};
use xtask::process;

/// Describes the links and the version that wrote their tables.
const STAMP: &str = "stamp.txt";

/// A data folder with this number of links and without visits, for one binary.
///
/// Benchmarks of one run get the same folder, after one another.
pub(crate) fn folder(plan: &Plan, binary: &Binary, links: u32) -> Result<PathBuf> {
    let copy = plan.scratch(&format!("links-{links}-{}", binary.name))?;
    if has_files(&copy)? {
        forget_visits(&copy)?;
        return Ok(copy);
    }
    copy_files(&kept(plan, links)?, &copy)?;
    if let Err(error) = try_out(binary, &copy, links) {
        println!(
            "{}: cannot use the kept links ({error:#}), so it imports its own",
            binary.name
        );
        fs::remove_dir_all(&copy)?;
        fs::create_dir_all(&copy)?;
        import(plan, binary, &copy, links)?;
        try_out(binary, &copy, links)?;
    }
    forget_visits(&copy)?;
    Ok(copy)
}

/// The folder that stays. The oldest binary imports, because an instance migrates tables of an
/// older version but not of a newer one.
fn kept(plan: &Plan, links: u32) -> Result<PathBuf> {
    let folder = plan::kept()?.join(format!("links-{links}"));
    let stamp = folder.join(STAMP);
    let generator = format!("generator {}\n", export::VERSION);
    if fs::read_to_string(&stamp).is_ok_and(|stamp| stamp.starts_with(&generator)) {
        return Ok(folder);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let binary = plan.baseline.as_ref().unwrap_or(&plan.binary);
    import(plan, binary, &folder, links)?;
    let version = machine::said(process::program(&binary.path).arg("--version"));
    fs::write(stamp, format!("{generator}schema of {version}\n"))?;
    Ok(folder)
}

fn import(plan: &Plan, binary: &Binary, data: &Path, links: u32) -> Result<()> {
    let export = plan.scratch("export")?.join("links.json");
    export::write(&export, links)?;
    let began = Instant::now();
    instance::import(binary, data, &[], &export)?;
    let seconds = began.elapsed().as_secs_f64();
    let name = binary.name;
    println!("{name} imported {links} links in {seconds:.1} s, for this and later runs");
    Ok(fs::remove_file(export)?)
}

/// Starts an instance, which migrates the tables, and follows the last link.
fn try_out(binary: &Binary, data: &Path, links: u32) -> Result<()> {
    let instance = Instance::start(binary, data)?;
    let last = export::slug(links - 1);
    Follower::connect(instance.address()?)?.follow([last], 1)?;
    instance.stop()
}

fn forget_visits(data: &Path) -> Result<()> {
    for entry in fs::read_dir(data)? {
        let entry = entry?;
        if entry
            .file_name()
            .to_string_lossy()
            .starts_with("analytics.db")
        {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn copy_files(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name() != STAMP {
            let name = entry.file_name();
            fs::copy(entry.path(), to.join(&name))
                .with_context(|| format!("a copy of {}", name.display()))?;
        }
    }
    Ok(())
}

fn has_files(folder: &Path) -> Result<bool> {
    Ok(fs::read_dir(folder)?.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_has_links_and_neither_stamp_nor_visits() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for name in ["links.db", "analytics.db", "analytics.db-wal", STAMP] {
            fs::write(from.path().join(name), name).unwrap();
        }
        copy_files(from.path(), to.path()).unwrap();
        forget_visits(to.path()).unwrap();
        let left: Vec<_> = fs::read_dir(to.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["links.db"]);
    }
}
