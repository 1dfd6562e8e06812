//! The `slugline` binary.

use std::{io, process::ExitCode};

/// The code of a command that stops because nothing reads its output any more,
/// as shells report it for programs that die of SIGPIPE.
const NOBODY_READS: u8 = 141;

#[expect(clippy::print_stderr, reason = "the last word of a command line tool")]
fn main() -> ExitCode {
    match slugline::cli::run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::from(NOBODY_READS),
        Err(error) => {
            // One line: what failed, then why, outermost first.
            eprintln!("slugline: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
