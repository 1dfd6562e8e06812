//! `cargo xtask surface`: the public surface of each published crate, one item a line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use xtask::process;

use crate::package;

/// Writes the surface of each published crate, or only compares it with the committed one.
pub(crate) fn run(check: bool) -> Result<()> {
    let current = current()?;
    let folder = process::root().join(FOLDER);
    let committed = committed(&folder)?;
    if check {
        return compare(&committed, &current);
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {FOLDER}"))?;
    for name in committed.keys().filter(|name| !current.contains_key(*name)) {
        fs::remove_file(folder.join(name)).with_context(|| format!("cannot remove {name}"))?;
    }
    for (name, text) in &current {
        fs::write(folder.join(name), text).with_context(|| format!("cannot write {name}"))?;
    }
    Ok(())
}

const FOLDER: &str = "docs/surface";
/// Builds of its own: build scripts see `RUSTC_BOOTSTRAP`, and would make every other build
/// start again.
const TARGET: &str = "target/surface";

/// The text of each file, by the file's name.
type Surfaces = BTreeMap<String, String>;

fn committed(folder: &Path) -> Result<Surfaces> {
    let mut surfaces = Surfaces::new();
    // A missing folder holds nothing yet.
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        surfaces.insert(name, fs::read_to_string(entry.path())?);
    }
    Ok(surfaces)
}

fn current() -> Result<Surfaces> {
    let packages = package::packages()?;
    let names = packages
        .iter()
        .filter_map(|package| package["name"].as_str());
    let mut documentation = process::cargo();
    documentation
        .args([
            "doc",
            "--quiet",
            "--no-deps",
            "--lib",
            "--target-dir",
            TARGET,
        ])
        .args(names.flat_map(|name| ["--package", name]))
        // The form is not stable: `public-api` is of the version that reads this toolchain's.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTDOCFLAGS", "-Z unstable-options --output-format json");
    process::run(&mut documentation)?;
    packages.iter().map(surface).collect()
}

fn surface(package: &Value) -> Result<(String, String)> {
    let name = package["name"].as_str().context("a crate without a name")?;
    let json = format!("{TARGET}/doc/{}.json", name.replace('-', "_"));
    let surface = public_api::Builder::from_rustdoc_json(process::root().join(json))
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .with_context(|| format!("cannot read the documentation of {name}"))?;
    Ok((format!("{name}.txt"), surface.to_string()))
}

fn compare(committed: &Surfaces, current: &Surfaces) -> Result<()> {
    let names: BTreeSet<&String> = committed.keys().chain(current.keys()).collect();
    let mut differences = 0_usize;
    for name in names {
        let old = lines(committed, name);
        let new = lines(current, name);
        let gone = old.difference(&new).map(|line| format!("- {line}"));
        let added = new.difference(&old).map(|line| format!("+ {line}"));
        for difference in gone.chain(added) {
            eprintln!("{name}: {difference}");
            differences += 1;
        }
    }
    if differences > 0 || committed != current {
        bail!(
            "{differences} lines of {FOLDER} differ: if docs/embedding.md allows the change, \
             record it with `cargo xtask surface`"
        );
    }
    Ok(())
}

fn lines<'s>(surfaces: &'s Surfaces, name: &str) -> BTreeSet<&'s str> {
    let text = surfaces.get(name).map_or("", String::as_str);
    text.lines().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_names_the_command_that_records_it() {
        let of = |text: &str| Surfaces::from([("a.txt".to_owned(), text.to_owned())]);
        assert!(compare(&of("pub fn a::b()"), &of("pub fn a::b()")).is_ok());
        for (old, new) in [
            (of("pub fn a::b()"), of("pub fn a::c()")),
            (Surfaces::new(), of("pub fn a::b()")),
            (of("pub fn a::b()"), Surfaces::new()),
        ] {
            let error = compare(&old, &new).unwrap_err().to_string();
            assert!(error.contains("`cargo xtask surface`"), "{error}");
        }
    }
}
