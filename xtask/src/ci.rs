//! `cargo xtask ci`: every check that a change must pass.

use std::{
    env,
    process::{ExitCode, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use xtask::process;

use crate::{arch, checks, licenses, test, vendor, web};

/// Runs the steps in order and stops at the first that fails; then the tests, and the compiler's
/// checks beside them.
pub(crate) fn run() -> Result<ExitCode> {
    let start = Instant::now();
    let mut seconds = run_steps(STEPS)?;
    let tests = Instant::now();
    println!("\n=== test");
    let (run, beside) = test::run(&[], || run_steps(BESIDE))?;
    seconds.push(("test", tests.elapsed().as_secs()));
    seconds.push(("all", start.elapsed().as_secs()));
    seconds.extend(beside.iter().flatten());
    println!("\n{}", table(&seconds));
    // The closing line of the tests sums them up and ends the log.
    let outcome = run.print();
    beside.map(|_| outcome)
}

/// The arguments of `cargo xtask` for this step alone, and its function.
type Step = (&'static str, fn() -> Result<()>);

/// The weekly workflow runs what differs from these in features only, and what changes with the
/// dependencies: `lint --features`, `deny`, `wasm` and `package`.
const STEPS: &[Step] = &[
    ("fmt --check", || checks::fmt(true)),
    ("arch", arch::run),
    ("vendor --check", || vendor::run(true)),
    ("licenses --check", || licenses::run(true)),
    ("web", web::run),
];

/// The steps that compile while the tests run, which leave processors idle whenever they wait.
const BESIDE: &[Step] = &[("lint", || quietly("lint")), ("docs", || quietly("docs"))];

/// Runs a step in a process of its own, which yields to the tests, and shows its output at its end.
fn quietly(step: &str) -> Result<()> {
    let mut command = process::program("nice");
    command
        .args(["-n", "19"])
        .arg(env::current_exe()?)
        .arg(step);
    let output = command.stdin(Stdio::null()).output()?;
    let said = [output.stdout, output.stderr].concat();
    println!("\n=== said by {step}\n{}", String::from_utf8_lossy(&said));
    ensure!(output.status.success(), "`cargo xtask {step}` failed");
    Ok(())
}

fn run_steps(steps: &[Step]) -> Result<Vec<(&'static str, u64)>> {
    let timed = steps.iter().map(|&(name, step)| {
        println!("\n=== {name}");
        let start = Instant::now();
        step().with_context(|| format!("ci stopped at `cargo xtask {name}`"))?;
        Ok((name, start.elapsed().as_secs()))
    });
    timed.collect()
}

/// A line for each step.
fn table(seconds: &[(&str, u64)]) -> String {
    let line = |(name, seconds): &(&str, u64)| format!("{seconds:6} s  {name}");
    let lines: Vec<String> = seconds.iter().map(line).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn the_table_has_a_line_for_each_step() {
        let table = table(&[("lint", 61), ("all", 120)]);
        assert_eq!(table, "    61 s  lint\n   120 s  all");
    }

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
