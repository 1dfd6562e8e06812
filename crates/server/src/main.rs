//! The `slugline` binary.

use std::process::ExitCode;

#[expect(clippy::print_stderr, reason = "the last word of a command line tool")]
fn main() -> ExitCode {
    match slugline::cli::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line: what failed, then why, outermost first.
            eprintln!("slugline: {error:#}");
            ExitCode::FAILURE
        }
    }
}
