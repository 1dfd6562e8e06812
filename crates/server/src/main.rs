//! The `slugline` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    slugline::cli::run(std::env::args_os())
}
