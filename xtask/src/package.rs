//! `cargo xtask package`: the packages of the crates, as the registry would take them.

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::Package;
use serde_json::Value;

use xtask::process;

use crate::{checks, licenses};

/// Checks that each package is complete, and has cargo go through the whole publication but for
/// the upload. With `verify`, cargo compiles each package by itself, which takes minutes. With
/// `release`, it first checks what else a release needs, and keeps a data folder of the version.
pub(crate) fn run(verify: bool, release: bool) -> Result<()> {
    if release {
        ready_for_release()?;
    }
    let packages = packages()?;
    let mut findings = Vec::new();
    for package in &packages {
        let manifest = serde_json::to_value(package)?;
        findings.extend(findings_of(&manifest, &files(package)?));
    }
    process::none(&findings, "in the packages")?;
    let verify = if verify { "" } else { "--no-verify" };
    // Work that is not committed yet may be checked, too.
    let publish = format!("publish --workspace --dry-run --allow-dirty {verify}");
    process::run(&mut process::cargo(&publish))?;
    println!("{} packages can be published", packages.len());
    Ok(())
}

fn ready_for_release() -> Result<()> {
    let nowhere = |package: &Package| package.repository.as_deref() == Some("");
    ensure!(
        !packages()?.iter().any(nowhere),
        "the repository has no address yet: set it with `cargo xtask home OWNER/NAME`"
    );
    licenses::run(true)?;
    checks::deny(true)?;
    let version = env!("CARGO_PKG_VERSION");
    let changelog = fs::read_to_string(process::root().join("CHANGELOG.md"))?;
    let heading = format!("\n## {version}");
    ensure!(
        changelog.contains(&heading),
        "CHANGELOG.md has no heading {heading:?}: rename *Unreleased*"
    );
    if !process::root().join(KEPT).join(version).exists() {
        let test = "test -p slugline --test it -- a_folder_of_each_release_is_opened";
        process::run(process::cargo(test).env("SLUGLINE_TEST_KEEP", version))?;
        bail!("{KEPT}/{version} is new: commit it, and run this again");
    }
    Ok(())
}

/// The data folders that releases wrote, which a test opens for good.
const KEPT: &str = "crates/server/tests/data/releases";

/// The crates that are published.
pub(crate) fn packages() -> Result<Vec<Package>> {
    let mut packages = process::metadata("--no-deps")?.packages;
    // `publish = false` is an empty list of registries.
    packages.retain(|package| package.publish.as_deref() != Some(&[]));
    Ok(packages)
}

/// The files of the package.
fn files(package: &Package) -> Result<String> {
    let list = "package --list --allow-dirty --package";
    let files = process::stdout(process::cargo(list).arg(&*package.name))?;
    String::from_utf8(files).context("a file name is not UTF-8")
}

/// The files that each package must have: its first page, and the texts of both licences.
const FILES: [&str; 3] = ["README.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// The members of a manifest by which people find and judge a crate.
const MEMBERS: [&str; 5] = ["description", "license", "readme", "keywords", "categories"];

fn findings_of(package: &Value, files: &str) -> Vec<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let has = |file: &str| files.lines().any(|line| line == file);
    let empty = |member: &str| {
        let text = package[member].as_str().unwrap_or_default();
        text.is_empty() && package[member].as_array().is_none_or(Vec::is_empty)
    };
    let missing = FILES.into_iter().filter(|file| !has(file));
    let unsaid = MEMBERS.into_iter().filter(|member| empty(member));
    let missing = missing.map(|file| format!("{name}: the package lacks {file}"));
    let unsaid = unsaid.map(|member| format!("{name}: the manifest lacks `{member}`"));
    missing.chain(unsaid).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    #[test]
    fn a_package_without_licence_text_or_keywords_is_found() {
        let mut package = json!({
            "name": "a", "description": "b", "license": "MIT", "readme": "README.md",
            "keywords": ["c"], "categories": ["d"],
        });
        let files = "Cargo.toml\nLICENSE-APACHE\nLICENSE-MIT\nREADME.md\n";
        assert_eq!(findings_of(&package, files), Vec::<String>::new());
        package["keywords"] = json!([]);
        package["readme"] = json!(null);
        assert_eq!(
            findings_of(&package, "LICENSE-MIT\nREADME.md\ndata/LICENSE-APACHE\n"),
            [
                "a: the package lacks LICENSE-APACHE",
                "a: the manifest lacks `readme`",
                "a: the manifest lacks `keywords`",
            ]
        );
    }

    #[test]
    fn private_crates_are_the_tasks_alone() {
        let published = packages().unwrap();
        let published = |name| published.iter().any(|package| *package.name == name);
        assert!(published("slugline") && published("slugline-testkit"));
        assert!(!published("xtask") && !published("slugline-bench"));
    }
}
