//! `cargo xtask bench`, `capacity` and `extrapolate`: measurements of the service from outside.
//!
//! They are a crate of their own, so that the test command does not build them.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool speaks through its output"
)]

mod bench;
mod capacity;
mod extrapolate;
mod numbers;

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
    /// Estimate what a load needs: nodes, databases, network.
    Capacity(capacity::Load),
    /// Extrapolate measured figures of a document to more visits.
    Extrapolate(extrapolate::Wish),
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
    match command {
        Command::Bench { benches, options } => bench::run(&benches, &options),
        Command::Capacity(load) => capacity::run(&load),
        Command::Extrapolate(wish) => extrapolate::run(&wish),
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
