//! `cargo xtask web` and `cargo xtask shots`: the dashboard's modules.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, bail};

use crate::{
    process,
    test::{clients, node, packages},
};

/// Checks types, including the API's from its document, and runs the tests of the pure modules.
pub(crate) fn run() -> Result<()> {
    install()?;
    let types = api_types()?;
    let path = process::root().join(API_TYPES);
    if fs::read(&path).unwrap_or_default() != types {
        bail!("{API_TYPES} is out of date: refresh it with `cargo xtask vendor`");
    }
    let tsc = "node_modules/typescript/bin/tsc";
    let mut check = node()?;
    process::run(check.arg(tools().join(tsc)).arg("-p").arg(tools()))?;
    let mut tests = node()?;
    process::run(tests.arg("--test").arg("crates/dashboard/web/**/*.test.js"))
}

/// Takes pictures of every page into `target/shots`.
pub(crate) fn shots() -> Result<()> {
    packages::ensure_programs(&packages::BROWSER)?;
    install()?;
    let folder = process::root().join("target/shots");
    let mut tests = process::cargo();
    tests
        .args(["test", "-p", "slugline", "--test", "it", "dashboard::looks"])
        .env("SLUGLINE_TEST_SHOTS", &folder);
    process::run(&mut tests)?;
    println!("pictures are in {}", folder.display());
    Ok(())
}

const API_TYPES: &str = "crates/dashboard/web/types/api.d.ts";

/// The folder that names the packages from npm.
pub(crate) fn tools() -> PathBuf {
    process::root().join("crates/dashboard/npm")
}

/// Installs the packages, unless they are current.
pub(crate) fn install() -> Result<()> {
    clients::install_in(&tools(), "the dashboard's tools")
}

/// Writes the types of the API's document.
pub(crate) fn write_api_types() -> Result<()> {
    let path = process::root().join(API_TYPES);
    fs::write(&path, api_types()?).with_context(|| format!("cannot write {API_TYPES}"))
}

fn api_types() -> Result<Vec<u8>> {
    let program = tools().join("node_modules/openapi-typescript/bin/cli.js");
    let arguments = ["docs/openapi.json", "--default-non-nullable=false"];
    process::stdout(node()?.arg(program).args(arguments))
}

fn node() -> Result<std::process::Command> {
    let mut command = process::program("node");
    command.env("PATH", node::path()?);
    Ok(command)
}
