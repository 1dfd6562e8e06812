//! `cargo xtask bench`: measurements of the service from outside.
//!
//! They are a crate of their own, so that the test command does not build them.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool speaks through its output"
)]

mod bench;

use std::process::ExitCode;

use clap::Parser;

/// Measure the release binary, each figure beside a yardstick in the same run.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Command {
    /// Which benchmarks; all without one.
    benches: Vec<bench::Bench>,
    #[command(flatten)]
    options: bench::Options,
}

fn main() -> ExitCode {
    let Command { benches, options } = Command::parse();
    match bench::run(&benches, &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn command_line_is_consistent() {
        Command::command().debug_assert();
    }
}
