//! Tasks that are a command or two each: format, clippy, documentation, the book, licences,
//! WebAssembly and Windows.

use std::process::Command;

use anyhow::Result;

use xtask::{
    process::{self, cargo},
    programs::{packages, target},
};

use crate::web;

/// Formats the sources, or only reports differences.
pub(crate) fn fmt(check: bool) -> Result<()> {
    let check = if check { "--check" } else { "" };
    process::run(&mut cargo(&format!("fmt --all {check}")))
}

/// Lints every target of every crate. With `features` also the server with its feature and all of
/// actix-web, as a program that embeds it may build it; and the links in SQL with each database alone.
pub(crate) fn lint(features: bool) -> Result<()> {
    const FEATURES: [&str; 3] = [
        "-p slugline --all-targets --features otel,actix-web/default",
        "-p slugline-storage --no-default-features --features postgres",
        "-p slugline-storage --no-default-features --features sqlite",
    ];
    let more = &FEATURES[..if features { FEATURES.len() } else { 0 }];
    for what in ["--workspace --all-targets"].iter().chain(more) {
        process::run(&mut cargo(&format!("clippy {what} -- -D warnings")))?;
    }
    Ok(())
}

/// Builds the documentation of our crates.
pub(crate) fn docs() -> Result<()> {
    process::run(cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))
}

/// Makes a website of the pages in `docs`, in `target/book`.
pub(crate) fn book() -> Result<()> {
    let mut installed = process::program("mdbook");
    install(installed.arg("--version"), MDBOOK)?;
    process::run(process::program("mdbook").args(["build", "docs"]))?;
    println!("the book begins at target/book/index.html");
    Ok(())
}

/// Checks the dependency tree, and with `advisories` its known vulnerabilities.
///
/// Advisories are optional because cargo-deny fetches their database from a git host, and
/// because they change independently of our code.
pub(crate) fn deny(advisories: bool) -> Result<()> {
    install(&mut cargo("deny --version"), CARGO_DENY)?;
    // An exception for a duplicate that is gone must be removed.
    let check = "--deny unmatched-skip --deny unnecessary-skip bans licenses sources";
    let advisories = if advisories { "advisories" } else { "" };
    process::run(&mut cargo(&format!(
        "deny --all-features check {check} {advisories}"
    )))
}

/// Builds the edge worker among the examples of `domain`, and runs its tests.
pub(crate) fn wasm() -> Result<()> {
    const TARGET: &str = "wasm32-unknown-unknown";
    const FOLDER: &str = "crates/domain/examples/edge-worker";
    target::ensure(TARGET)?;
    process::run(&mut cargo(&format!(
        "build --locked --target {TARGET} --target-dir target/wasm --manifest-path {FOLDER}/Cargo.toml"
    )))?;
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
    process::run(cargo("check --workspace --all-targets --target").arg(TARGET))
}

const CARGO_DENY: &str = "cargo-deny --version 0.20.2";
const MDBOOK: &str = "mdbook --version 0.5.4 --no-default-features --features search";

/// Installs a program from its sources, unless the command that asks for its version works.
fn install(asks: &mut Command, program: &str) -> Result<()> {
    if process::answer(asks).is_some() {
        return Ok(());
    }
    println!("installing {program}");
    process::run(
        cargo(&format!("install --locked {program}"))
            // Each program runs for a second: a fast build matters more than a fast program.
            .env("CARGO_PROFILE_RELEASE_LTO", "false")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    )
}
