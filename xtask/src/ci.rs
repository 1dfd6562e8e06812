//! `cargo xtask ci`: every check that a change must pass.

use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::{arch, checks, openapi, package, test, vendor, verdict::Verdict, web};

/// Runs every step in order and stops at the first that fails.
pub(crate) fn run() -> Result<()> {
    run_steps(STEPS)
}

/// The arguments of `cargo xtask` for this step alone, and its function.
type Step = (&'static str, fn() -> Result<()>);

/// `test` comes last: its closing line, which sums up every test, ends the log. With
/// `--workspace` it also builds the benchmarks and runs the tests of their own code.
const STEPS: &[Step] = &[
    ("fmt --check", || checks::fmt(true)),
    ("lint", checks::lint),
    ("arch", arch::run),
    ("deny", || checks::deny(false)),
    ("openapi --check", || openapi::run(true)),
    ("vendor --check", || vendor::run(true)),
    ("web", web::run),
    ("wasm", checks::wasm),
    ("package --no-verify", || package::run(false)),
    ("docs", checks::docs),
    ("test -- --workspace", run_tests),
];

fn run_steps(steps: &[Step]) -> Result<()> {
    let start = Instant::now();
    for (name, step) in steps {
        println!("\n=== {name} (after {} s)", start.elapsed().as_secs());
        step().with_context(|| format!("ci stopped at `cargo xtask {name}`"))?;
    }
    Ok(())
}

fn run_tests() -> Result<()> {
    match test::run(&["--workspace".into()])? {
        Verdict::Passed => Ok(()),
        Verdict::Failed => bail!("not every test passed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_failure_stops_and_names_its_step() {
        let steps: [Step; 3] = [
            ("good", || Ok(())),
            ("bad", || bail!("no")),
            ("later", || panic!("must not run")),
        ];
        let error = run_steps(&steps).unwrap_err();
        assert_eq!(format!("{error:#}"), "ci stopped at `cargo xtask bad`: no");
    }
}
