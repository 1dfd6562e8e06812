//! `cargo xtask test`: every test of the workspace, with all dependencies.
//!
//! A fresh clone has only the Rust toolchain, so this uses plain `cargo test` and installs the
//! rest: packages, a private PostgreSQL server, ClickHouse and the MCP clients of the
//! end-to-end tests, in Node.js and Python.

mod retry;
mod side_by_side;
mod tally;

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::thread;

use anyhow::{Context, Result};

use xtask::{
    process,
    programs::{clickhouse, clients, node, packages, postgres::Cluster, python},
};

use crate::web;
use retry::Failures;
use tally::Tally;

/// Prepares and runs the tests, and work beside them that may use Cargo once they are built.
pub(crate) fn run<T: Send>(
    arguments: &[String],
    beside: impl FnOnce() -> T + Send,
) -> Result<(Run, T)> {
    // The compiler works while the packages arrive.
    let (built, installed) = thread::scope(|scope| {
        let built = scope.spawn(|| build(arguments).output());
        let installed = install();
        (
            built.join().expect("reading output does not panic"),
            installed,
        )
    });
    let (built, cluster) = (built?, Cluster::start(&installed?)?);
    let path = node::path()?;
    let prepare = |mut command: Command| {
        command.env("SLUGLINE_TEST_POSTGRES_URL", cluster.url());
        command.env("TMPDIR", cluster.folder());
        command.env("PATH", &path);
        if env::var_os(THREADS).is_none() {
            command.env(THREADS, (2 * processors()).to_string());
        }
        command
    };
    // All tests run side by side, chosen ones as `cargo test` runs them. For a complete sum, a
    // failure does not stop later tests.
    let mut commands = vec![cargo_test(&["--no-fail-fast"], arguments)];
    if built.status.success() && arguments.is_empty() {
        commands = side_by_side::programs(&built.stdout)?;
        commands.push(cargo_test(&["--no-fail-fast", "--doc"], arguments));
    }
    let (first, beside) = thread::scope(|scope| {
        let beside = scope.spawn(beside);
        let first = run_tests(commands.into_iter().map(prepare));
        (
            first,
            beside.join().expect("work beside tests does not panic"),
        )
    });
    let first = first?;
    let (run, flaky) = retry_failed(first, |names| {
        println!("\nonce more, alone: {}", names.join(", "));
        let again = cargo_test(&["--no-fail-fast"], &retry::arguments(arguments, names));
        run_tests([prepare(again)].into_iter())
    })?;
    // Stops the server first, so that its messages come before the summary.
    drop(cluster);
    let flaky = retry::report(&flaky);
    print!("\n{flaky}");
    let file = process::root().join(FLAKY);
    fs::write(&file, flaky).with_context(|| format!("cannot write {}", file.display()))?;
    Ok((run, beside))
}

/// Runs commands, counts the results and notes the failures.
fn run_tests(commands: impl Iterator<Item = Command> + Send) -> Result<Run> {
    let mut run = Run::default();
    let all_succeeded = side_by_side::run(commands, |line| {
        io::stdout().write_all(line)?;
        run.read(&String::from_utf8_lossy(line));
        Ok(())
    })?;
    run.failed = !all_succeeded;
    Ok(run)
}

/// Installs what the tests need, and returns the folder of PostgreSQL's server programs.
fn install() -> Result<PathBuf> {
    let server = packages::ensure()?;
    clients::install()?;
    web::install()?;
    python::install()?;
    clickhouse::install()?;
    Ok(server)
}

/// The flaky tests of the last run, which CI shows.
const FLAKY: &str = "target/flaky-tests.txt";

/// The outcome of tests.
#[derive(Default)]
#[must_use]
pub(crate) struct Run {
    /// A program failed, or did not compile.
    failed: bool,
    tally: Tally,
    failures: Failures,
}

impl Run {
    fn read(&mut self, line: &str) {
        self.tally.add(line);
        self.failures.add(line);
    }

    /// Prints the summary, which must be the last line.
    pub(crate) fn print(self) -> ExitCode {
        let problem = problem(self.failed, self.tally);
        if let Some(problem) = problem {
            eprintln!("error: {problem}");
        }
        println!("\n{}", self.tally);
        u8::from(problem.is_some()).into()
    }
}

/// Compiles the tests and lists their programs as JSON; errors go to the terminal.
fn build(arguments: &[String]) -> Command {
    let mut options = vec!["--no-run", "--message-format=json-render-diagnostics"];
    if arguments.is_empty() {
        // Examples that have no test are checked by `lint`; linking them takes longest.
        options.push("--tests");
    }
    let for_cargo = arguments.split(|argument| argument == "--").next();
    let mut command = cargo_test(&options, for_cargo.unwrap_or_default());
    command.stderr(Stdio::inherit());
    command
}

/// The variable that sets the number of tests at a time in each program. Most tests wait for a
/// service, a browser or a database, so more of them than processors keep these busy.
const THREADS: &str = "RUST_TEST_THREADS";

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn cargo_test(options: &[&str], arguments: &[String]) -> Command {
    let mut command = process::cargo("test");
    command.args(options);
    if !names_packages(arguments) {
        command.arg("--workspace");
    }
    command.args(arguments);
    command
}

fn names_packages(arguments: &[String]) -> bool {
    let mut for_cargo = arguments.iter().take_while(|argument| *argument != "--");
    for_cargo.any(|argument| argument.starts_with("-p") || argument.starts_with("--package"))
}

/// Runs failed tests again if they are few. Returns the outcome of all tests, and the names of
/// those that passed this time.
fn retry_failed(
    mut first: Run,
    again: impl FnOnce(&[String]) -> Result<Run>,
) -> Result<(Run, Vec<String>)> {
    let Some(names) = first.failures.to_retry(first.tally.failed) else {
        return Ok((first, Vec::new()));
    };
    let flaky = names.to_vec();
    let second = again(names)?;
    if second.failed || second.tally.passed != first.tally.failed {
        return Ok((first, Vec::new()));
    }
    first.failed = false;
    first.tally.passed += first.tally.failed;
    first.tally.failed = 0;
    Ok((first, flaky))
}

fn problem(failed: bool, tally: Tally) -> Option<&'static str> {
    match (failed, tally) {
        (_, Tally { failed: 1.., .. }) => Some("tests failed"),
        (true, _) => Some("a test did not build, or stopped before it could report"),
        (false, Tally { passed: 0, .. }) => Some("no test ran"),
        (false, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn tally(passed: u64, failed: u64) -> Tally {
        Tally {
            passed,
            failed,
            skipped: 0,
        }
    }

    #[test]
    fn chosen_packages_replace_the_whole_workspace() {
        assert!(names_packages(&arguments("-p slugline-domain")));
        assert!(names_packages(&arguments("--package=slugline-domain")));
        assert!(!names_packages(&arguments("slug -- -p")));
    }

    #[test]
    fn the_build_takes_cargos_arguments_and_leaves_the_names_of_tests() {
        let command = build(&arguments("-p slugline --test it -- slug --exact"));
        let words: Vec<_> = command.get_args().skip(3).collect();
        assert_eq!(words, ["-p", "slugline", "--test", "it"]);
    }

    fn run_of(output: &str) -> Run {
        let mut run = Run::default();
        output.lines().for_each(|line| run.read(line));
        run.failed = run.tally.failed > 0;
        run
    }

    #[test]
    fn a_failed_test_that_passes_alone_is_named_and_counts_as_passed() {
        const FAILED: &str =
            "failures:\n    gates::opens\n\ntest result: FAILED. 7 passed; 1 failed; 0 ignored\n";
        let again = |output: &'static str| {
            retry_failed(run_of(FAILED), |names| {
                assert_eq!(names, ["gates::opens"]);
                Ok(run_of(output))
            })
            .unwrap()
        };
        let (run, flaky) = again("test result: ok. 1 passed; 0 failed; 0 ignored\n");
        assert!(!run.failed);
        assert_eq!((run.tally, flaky.len()), (tally(8, 0), 1));
        for still_bad in [FAILED, "test result: ok. 0 passed; 0 failed; 0 ignored\n"] {
            let (run, flaky) = again(still_bad);
            assert!(run.failed);
            assert_eq!((run.tally, flaky.len()), (tally(7, 1), 0));
        }
    }

    #[test]
    fn success_needs_a_test_that_ran_and_none_that_failed() {
        assert_eq!(problem(false, tally(1, 0)), None);
        assert_eq!(problem(false, tally(0, 0)), Some("no test ran"));
        assert_eq!(problem(true, tally(4, 1)), Some("tests failed"));
        assert!(problem(true, tally(4, 0)).is_some());
    }
}
