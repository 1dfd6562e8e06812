//! Tasks of the workspace: `cargo xtask <command>`.
//!
//! It runs cargo, the package manager and the test database. It depends on none of our crates,
//! so it builds even when they do not.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool speaks through its output"
)]

mod arch;
mod archive;
mod bench;
mod checks;
mod ci;
mod countries;
mod fuzz;
mod home;
mod image;
mod licenses;
mod openapi;
mod package;
mod test;
mod vendor;
mod web;

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::Parser;

/// Tasks of the workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Command {
    /// Everything a change has to pass, in CI's order.
    Ci,
    /// Format the sources.
    Fmt {
        /// Only report what is not formatted.
        #[arg(long)]
        check: bool,
    },
    /// Clippy over every target, warnings are errors.
    Lint {
        /// Also what programs that embed the crates may choose of their features.
        #[arg(long)]
        features: bool,
    },
    /// Install and start what the tests need, then run all of them.
    Test {
        /// Arguments for `cargo test`, after `--`.
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Measure the release binary, each figure beside a yardstick in the same run.
    #[command(disable_help_flag = true)]
    Bench(bench::Arguments),
    /// Compare the crates' dependencies with the floor plan.
    Arch,
    /// Write the address of the repository into each file that states it.
    Home {
        /// `OWNER/NAME` on GitHub.
        repository: String,
    },
    /// Write the notices of others' work in the program, which `slugline licenses` prints.
    Licenses {
        /// Only report whether the committed file is complete.
        #[arg(long)]
        check: bool,
    },
    /// Build the image and run it, within 64 MiB of memory and as root of this machine.
    Image {
        /// A static program, instead of building one, which takes a quarter of an hour.
        #[arg(long)]
        program: Option<PathBuf>,
    },
    /// Pack the archive of a release for one processor and system.
    Archive {
        /// A finished program, instead of building one, which takes a quarter of an hour.
        #[arg(long)]
        program: Option<PathBuf>,
        /// The target that it is built for [default: this machine, static].
        #[arg(long)]
        target: Option<String>,
    },
    /// Check licences, sources, bans and duplicates of the dependencies.
    Deny {
        /// Ask the advisory database as well, which needs the network.
        #[arg(long)]
        advisories: bool,
    },
    /// Write the table of countries in the program, from an `.mmdb` file.
    Countries(countries::Source),
    /// Write `docs/openapi.json`.
    Openapi,
    /// Take over what the dashboard needs from npm.
    Vendor {
        /// Only report whether the committed files are those of the lock file.
        #[arg(long)]
        check: bool,
    },
    /// Check the types of the dashboard's modules and run their tests.
    Web,
    /// Run the rule of redirects as WebAssembly.
    Wasm,
    /// Check that each crate can be published, without publishing it.
    Package {
        /// Do not compile the packages, which takes minutes.
        #[arg(long)]
        no_verify: bool,
        /// Also everything else that the tag of a release needs.
        #[arg(long)]
        release: bool,
    },
    /// Check that the workspace compiles for Windows.
    Windows,
    /// Take a picture of every page of the dashboard.
    Shots,
    /// Make the pictures in README anew.
    Pictures,
    /// Make a website of the pages in `docs`.
    Book,
    /// Throw bytes at every target in `fuzz/`.
    Fuzz {
        /// Seconds for each target.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Executions of each target, instead of a time.
        #[arg(long, conflicts_with = "seconds")]
        runs: Option<u64>,
        /// Only this one.
        #[arg(long)]
        target: Option<String>,
    },
    /// Build the API documentation, warnings are errors.
    Docs,
}

fn main() -> ExitCode {
    match run(Command::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a command to its end. One that fails has printed the reason, or returns it.
fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Test { arguments } => return Ok(test::run(&arguments, || ())?.0.print()),
        Command::Bench(arguments) => return bench::run(&arguments),
        Command::Ci => return ci::run(),
        Command::Fmt { check } => checks::fmt(check)?,
        Command::Lint { features } => checks::lint(features)?,
        Command::Arch => arch::run()?,
        Command::Licenses { check } => licenses::run(check)?,
        Command::Image { program } => image::run(program)?,
        Command::Archive { program, target } => archive::run(program, target)?,
        Command::Home { repository } => home::set(&repository)?,
        Command::Deny { advisories } => checks::deny(advisories)?,
        Command::Countries(source) => countries::run(&source)?,
        Command::Openapi => openapi::run()?,
        Command::Vendor { check } => vendor::run(check)?,
        Command::Web => web::run()?,
        Command::Wasm => checks::wasm()?,
        Command::Package { no_verify, release } => package::run(!no_verify, release)?,
        Command::Windows => checks::windows()?,
        Command::Shots => web::shots()?,
        Command::Pictures => web::pictures()?,
        Command::Book => checks::book()?,
        Command::Fuzz {
            seconds,
            runs,
            target,
        } => {
            let time = || format!("-max_total_time={seconds}");
            let end = runs.map_or_else(time, |runs| format!("-runs={runs}"));
            fuzz::run(&end, target.as_deref())?;
        }
        Command::Docs => checks::docs()?,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn command_line_is_consistent() {
        Command::command().debug_assert();
    }

    #[test]
    fn test_takes_arguments_of_both_cargo_and_the_harness() {
        let line = ["cargo xtask", "test", "--", "slug", "--", "--nocapture"];
        let Command::Test { arguments } = Command::parse_from(line) else {
            panic!("parsed as another command");
        };
        assert_eq!(arguments, ["slug", "--", "--nocapture"]);
    }

    #[test]
    fn benchmarks_take_every_argument_as_it_is() {
        let line = [
            "cargo xtask",
            "bench",
            "redirect",
            "--rounds",
            "2",
            "--help",
        ];
        let Command::Bench(arguments) = Command::parse_from(line) else {
            panic!("parsed as another command");
        };
        assert_eq!(arguments.all, line[2..]);
    }
}
