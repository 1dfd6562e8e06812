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

use anyhow::Result;
use clap::Parser;

/// Measurements of the service.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Measure the release binary, each figure beside a yardstick in the same run.
    Bench {
        /// Which benchmarks; all without one.
        benches: Vec<bench::Bench>,
        #[command(flatten)]
        options: bench::Options,
    },
}

fn main() -> ExitCode {
    match run(Command::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    let Command::Bench { benches, options } = command;
    bench::run(&benches, &options)
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
