//! Tasks that are a command or two each: format, clippy, documentation, the book, licences,
//! WebAssembly and Windows.

use std::process::Command;

use anyhow::Result;

use xtask::{
    process,
    programs::{packages, target},
};

use crate::web;

/// Formats the sources, or only reports differences.
pub(crate) fn fmt(check: bool) -> Result<()> {
    let mut command = process::cargo();
    command.args(["fmt", "--all"]);
    if check {
        command.arg("--check");
    }
    process::run(&mut command)
}

/// Lints every target of every crate. With `features` also the server with its feature and all of
/// actix-web, as a program that embeds it may build it; and the links in SQL with each database alone.
pub(crate) fn lint(features: bool) -> Result<()> {
    clippy(&["--workspace", "--all-targets"])?;
    if !features {
        return Ok(());
    }
    let features = "otel,actix-web/default";
    clippy(&["-p", "slugline", "--all-targets", "--features", features])?;
    for database in ["postgres", "sqlite"] {
        let alone = ["--no-default-features", "--features", database];
        clippy(&[&["--package", "slugline-storage"], alone.as_slice()].concat())?;
    }
    Ok(())
}

/// Builds the documentation of our crates.
pub(crate) fn docs() -> Result<()> {
    process::run(
        process::cargo()
            .args(["doc", "--workspace", "--no-deps"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}

/// Makes a website of the pages in `docs`, in `target/book`.
pub(crate) fn book() -> Result<()> {
    let mut installed = process::program("mdbook");
    let features = ["--no-default-features", "--features", "search"];
    install(installed.arg("--version"), "mdbook", MDBOOK, &features)?;
    process::run(process::program("mdbook").args(["build", "docs"]))?;
    println!("the book begins at target/book/index.html");
    Ok(())
}

/// Checks the dependency tree, and with `advisories` its known vulnerabilities.
///
/// Advisories are optional because cargo-deny fetches their database from a git host, and
/// because they change independently of our code.
pub(crate) fn deny(advisories: bool) -> Result<()> {
    let mut installed = process::cargo();
    installed.args(["deny", "--version"]);
    install(&mut installed, "cargo-deny", CARGO_DENY, &[])?;
    let mut command = process::cargo();
    command.args(["deny", "--all-features", "check"]);
    // An exception for a duplicate that is gone must be removed.
    command.args(["--deny", "unmatched-skip", "--deny", "unnecessary-skip"]);
    command.args(["bans", "licenses", "sources"]);
    if advisories {
        command.arg("advisories");
    }
    process::run(&mut command)
}

/// Builds the edge worker among the examples of `domain`, and runs its tests.
pub(crate) fn wasm() -> Result<()> {
    const TARGET: &str = "wasm32-unknown-unknown";
    const FOLDER: &str = "crates/domain/examples/edge-worker";
    target::ensure(TARGET)?;
    process::run(
        process::cargo()
            .args(["build", "--target", TARGET, "--target-dir", "target/wasm"])
            .args(["--locked", "--manifest-path"])
            .arg(format!("{FOLDER}/Cargo.toml")),
    )?;
    let module = format!("target/wasm/{TARGET}/debug/edge_worker.wasm");
    let mut tests = web::node()?;
    tests.env("EDGE_WORKER", module);
    process::run(tests.args(["--test", &format!("{FOLDER}/worker.test.mjs")]))
}

/// Checks every crate and its tests. The C code among the dependencies is compiled by MinGW.
pub(crate) fn windows() -> Result<()> {
    const TARGET: &str = "x86_64-pc-windows-gnu";
    packages::ensure_programs(&[("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64")])?;
    target::ensure(TARGET)?;
    let all = ["check", "--workspace", "--all-targets", "--target", TARGET];
    process::run(process::cargo().args(all))
}

fn clippy(what: &[&str]) -> Result<()> {
    process::run(
        process::cargo()
            .arg("clippy")
            .args(what)
            .args(["--", "-D", "warnings"]),
    )
}

const CARGO_DENY: &str = "0.20.2";
const MDBOOK: &str = "0.5.4";

/// Installs a program from its sources, unless the command that asks for its version works.
fn install(asks: &mut Command, name: &str, version: &str, features: &[&str]) -> Result<()> {
    if process::answer(asks).is_some() {
        return Ok(());
    }
    println!("installing {name} {version}");
    process::run(
        process::cargo()
            .args(["install", name, "--locked", "--version", version])
            .args(features)
            // Each program runs for a second: a fast build matters more than a fast program.
            .env("CARGO_PROFILE_RELEASE_LTO", "false")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    )
}
