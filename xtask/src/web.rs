//! `cargo xtask web`, `cargo xtask shots` and `cargo xtask pictures`: the dashboard's modules.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result};

use xtask::{
    process,
    programs::{clients, node, packages},
};

/// Writes the API's types from its document, checks types, and runs the tests of the pure
/// modules.
pub(crate) fn run() -> Result<()> {
    install()?;
    write_api_types()?;
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
    let mut tests = process::cargo("test -p slugline --test it dashboard::looks");
    process::run(tests.env("SLUGLINE_TEST_SHOTS", &folder))?;
    println!("pictures are in {}", folder.display());
    Ok(())
}

/// Makes the pictures in README anew, from an instance that `slugline seed` has filled.
pub(crate) fn pictures() -> Result<()> {
    shots()?;
    for name in ["analytics-light", "links-dark"] {
        let shot = process::root().join(format!("target/shots/{name}.png"));
        let picture = process::root().join(format!("docs/pictures/{name}.png"));
        fs::copy(&shot, &picture).with_context(|| format!("cannot copy {}", shot.display()))?;
    }
    Ok(())
}

/// The folder that names the packages from npm.
pub(crate) fn tools() -> PathBuf {
    process::root().join("crates/dashboard/npm")
}

/// Installs the packages, unless they are current.
pub(crate) fn install() -> Result<()> {
    clients::install_in(&tools(), "the dashboard's tools")
}

/// Writes the types of the API's document, which editors read too. They are not in `web`, so
/// that a new file there does not build the dashboard again.
fn write_api_types() -> Result<()> {
    let program = tools().join("node_modules/openapi-typescript/bin/cli.js");
    let arguments = ["docs/openapi.json", "--default-non-nullable=false"];
    let types = process::stdout(node()?.arg(program).args(arguments))?;
    let folder = tools().join("types");
    fs::create_dir_all(&folder)?;
    let file = folder.join("api.d.ts");
    fs::write(&file, types).with_context(|| format!("cannot write {}", file.display()))
}

/// Node.js in a version that is new enough.
pub(crate) fn node() -> Result<std::process::Command> {
    let mut command = process::program("node");
    command.env("PATH", node::path()?);
    Ok(command)
}
