//! The part of the workspace's tasks that its benchmarks use too: other programs, found,
//! installed and started.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command-line tool speaks through its output"
)]
#![expect(
    clippy::missing_errors_doc,
    reason = "every error says itself what failed, and only stops the tool"
)]

pub mod process;
pub mod programs;
