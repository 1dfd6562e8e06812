//! `cargo xtask fuzz`: every target in `fuzz/`, for a while each.
//!
//! It needs only a C++ compiler, which builds LLVM's libFuzzer. On a nightly toolchain
//! cargo-fuzz adds sanitizers, which find faults of unsafe code; this workspace has no unsafe
//! code. `cargo fuzz` works too.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use xtask::process;

/// The flags with which libFuzzer sees the executed code: those of `cargo fuzz --sanitizer
/// none`.
const COVERAGE: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Ccodegen-units=1";

/// Runs the targets in turn, each until `end`, an option of libFuzzer, and stops at the first
/// failure.
pub(crate) fn run(end: &str, only: Option<&str>) -> Result<()> {
    let folder = process::root().join("fuzz");
    let wanted = |target: &String| only.is_none_or(|only| only == target);
    let targets: Vec<String> = targets(&folder)?.into_iter().filter(wanted).collect();
    ensure!(
        !targets.is_empty(),
        "there is no such target in fuzz/fuzz_targets"
    );
    for target in targets {
        println!("\n=== {target}");
        look(&target, &folder.join("corpus").join(&target), end)?;
    }
    Ok(())
}

fn look(target: &str, corpus: &Path, end: &str) -> Result<()> {
    // New inputs stay out of the repository; an input that breaks the target belongs in its
    // corpus, with the fix and a name.
    let found = process::root().join("target/fuzz-corpus").join(target);
    fs::create_dir_all(&found)?;
    process::run(
        program(target)?
            .args([&found, corpus])
            .args([end, "-max_len=512", "-print_final_stats=1"])
            .arg(format!("-artifact_prefix=target/fuzz-{target}-")),
    )
}

/// Builds and starts a target.
fn program(target: &str) -> Result<Command> {
    let mut host = process::program("rustc");
    let host = process::answer(host.args(["--print", "host-tuple"]));
    let host = host.context("rustc does not tell what it builds for")?;
    // With `--target`, cargo builds build scripts and macros without the flags.
    let mut command = process::cargo(&format!(
        "run --release --manifest-path fuzz/Cargo.toml --target-dir target/fuzz --bin {target} \
         --target {host} --"
    ));
    command.env("RUSTFLAGS", COVERAGE);
    Ok(command)
}

/// The names of the files in `fuzz_targets`, in order.
fn targets(folder: &Path) -> Result<Vec<String>> {
    let folder = folder.join("fuzz_targets");
    let entries =
        fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut targets = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.file_stem().and_then(|name| name.to_str());
            targets.push(name.context("a target has an odd name")?.to_owned());
        }
    }
    targets.sort_unstable();
    Ok(targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_its_binary_and_a_corpus() {
        let folder = process::root().join("fuzz");
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for target in targets(&folder).unwrap() {
            assert!(
                manifest.contains(&format!("name = \"{target}\"")),
                "{target}"
            );
            assert!(folder.join("corpus").join(&target).is_dir(), "{target}");
        }
    }
}
