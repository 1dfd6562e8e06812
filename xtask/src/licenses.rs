//! `cargo xtask licenses`: the notices of others' work in the program, which `slugline licenses`
//! prints.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use xtask::process;

/// The file with all notices.
pub(crate) const FILE: &str = "crates/server/THIRD-PARTY.txt";

/// Writes the file, or only compares it.
pub(crate) fn run(check: bool) -> Result<()> {
    let (notices, committed) = (notices()?, read(FILE).unwrap_or_default());
    if check {
        ensure!(
            notices == committed,
            "{FILE} is not complete: run `cargo xtask licenses`, and commit it"
        );
    } else {
        fs::write(process::root().join(FILE), notices)?;
    }
    println!("{FILE} has the notices of what the program contains");
    Ok(())
}

/// The works that have a licence, by its text.
type Notices = BTreeMap<String, BTreeSet<String>>;

fn notices() -> Result<String> {
    let mut found = Notices::new();
    add_crates(&mut found)?;
    add_vendored(&mut found)?;
    let mut texts: Vec<_> = found.iter().collect();
    texts.sort_by_key(|(_, works)| works.first());
    let mut all = String::from(HEAD);
    for (text, works) in texts {
        let works: Vec<&str> = works.iter().map(String::as_str).collect();
        write!(
            all,
            "\n{}\n{}\n\n{text}\n",
            "=".repeat(80),
            works.join("\n")
        )?;
    }
    Ok(all)
}

const HEAD: &str = "\
Slugline contains the work of others, under the licences below.

It also contains SQLite, which is in the public domain; Swagger UI (Apache-2.0, copyright 2020-2021 SmartBear Software
Inc.); the standard library of Rust (MIT or Apache-2.0, copyright The Rust Project contributors); and on Linux musl
(MIT, copyright 2005-2020 Rich Felker and others).
";

/// Adds the crates that a program for any system is linked from.
fn add_crates(found: &mut Notices) -> Result<()> {
    let tree = "tree --locked --package slugline --edges normal --target all --prefix none";
    let tree = String::from_utf8(process::stdout(&mut process::cargo(tree))?)?;
    // Names and versions; a path behind them is one of our own.
    let lines = tree.lines().map(|line| line.trim_end_matches(" (*)"));
    let linked: BTreeSet<&str> = lines.collect();
    for package in process::metadata("--locked")?.packages {
        let work = format!("{} v{}", package.name, package.version);
        if linked.contains(&*work) {
            let license = package.license.unwrap_or_default();
            add_crate(found, &work, &license, package.manifest_path.as_std_path())?;
        }
    }
    Ok(())
}

fn add_crate(found: &mut Notices, work: &str, license: &str, manifest: &Path) -> Result<()> {
    let mut files = licence_files(manifest.parent().context("a manifest without a folder")?)?;
    // Where one may choose, the shorter licence is enough.
    if license.contains(" OR ") && files.iter().any(|file| named(file).contains("MIT")) {
        files.retain(|file| !named(file).contains("APACHE"));
    }
    if files.is_empty() {
        add(found, work, &standard(license)?);
    }
    for file in files {
        add(found, work, &fs::read_to_string(file)?);
    }
    Ok(())
}

/// Adds a text without what differs between copies of it: blanks at the ends of lines.
fn add(found: &mut Notices, work: &str, text: &str) {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let text = lines.join("\n").trim_matches('\n').to_owned();
    found.entry(text).or_default().insert(work.to_owned());
}

fn named(file: &Path) -> String {
    file.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_uppercase()
}

/// The files of a folder that hold licences or notices.
fn licence_files(folder: &Path) -> Result<Vec<PathBuf>> {
    const NAMES: [&str; 6] = [
        "LICENSE",
        "LICENCE",
        "COPYING",
        "COPYRIGHT",
        "NOTICE",
        "UNLICENSE",
    ];
    let entries =
        fs::read_dir(folder).with_context(|| format!("{} is missing", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let file = entry?.path();
        if file.is_file() && NAMES.iter().any(|name| named(&file).starts_with(name)) {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

/// The text of a licence whose package brings none.
fn standard(licence: &str) -> Result<String> {
    if licence.contains("MIT") {
        return mit("its authors");
    }
    ensure!(
        licence.contains("Apache-2.0"),
        "a package under {licence:?} has no text of it"
    );
    read("LICENSE-APACHE")
}

/// The MIT licence of somebody else.
pub(crate) fn mit(holder: &str) -> Result<String> {
    Ok(read("LICENSE-MIT")?.replace("The Slugline contributors", holder))
}

fn read(file: &str) -> Result<String> {
    Ok(fs::read_to_string(process::root().join(file))?)
}

/// Adds what our crates carry of others: each folder in a `data` or `vendor` of a crate, which
/// has its licence beside it.
fn add_vendored(found: &mut Notices) -> Result<()> {
    for package in fs::read_dir(process::root().join("crates"))? {
        let package = package?.path();
        let folders = ["data", "vendor"].map(|name| fs::read_dir(package.join(name)));
        for folder in folders.into_iter().flatten().flatten() {
            let folder = folder?.path();
            if folder.is_dir() {
                let files = licence_files(&folder)?;
                ensure!(
                    !files.is_empty(),
                    "{} has no licence beside it",
                    folder.display()
                );
                for file in files {
                    let work = folder.file_name().unwrap_or_default().to_string_lossy();
                    add(found, &work, &fs::read_to_string(file)?);
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notices_are_those_of_what_the_program_contains() {
        run(true).unwrap();
        let notices = read(FILE).unwrap();
        for work in [
            "actix-web v",
            "qrcode-generator-",
            "uap-core",
            "world-atlas-",
            "Swagger UI",
        ] {
            assert!(notices.contains(work), "{work}");
        }
    }
}
