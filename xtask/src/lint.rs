//! `cargo xtask lint`: clippy, with warnings as errors.

use anyhow::Result;

use xtask::process;

/// Lints every target of every crate; the server with its feature and all of actix-web, as a program
/// that embeds it may build it; and the links in SQL with each database alone.
pub(crate) fn run() -> Result<()> {
    clippy(&["--workspace", "--all-targets"])?;
    let features = "otel,actix-web/default";
    clippy(&[
        "--package",
        "slugline",
        "--all-targets",
        "--features",
        features,
    ])?;
    for database in ["postgres", "sqlite"] {
        let alone = ["--no-default-features", "--features", database];
        clippy(&[&["--package", "slugline-storage"], alone.as_slice()].concat())?;
    }
    Ok(())
}

fn clippy(what: &[&str]) -> Result<()> {
    process::run(
        process::cargo()
            .arg("clippy")
            .args(what)
            .args(["--", "-D", "warnings"]),
    )
}
