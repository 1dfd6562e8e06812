//! `cargo xtask wasm`: the rule of redirects as WebAssembly, run by Node.js.

use anyhow::Result;

use xtask::{process, programs::target};

use crate::web;

/// Builds the edge worker among the examples of `domain`, and runs its tests.
pub(crate) fn run() -> Result<()> {
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
