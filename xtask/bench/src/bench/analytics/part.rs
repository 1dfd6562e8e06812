//! Parts of the benchmark.

use clap::ValueEnum;

/// A part of `analytics`, for `--only`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// All questions, five times in turn.
    Questions,
    /// All questions once, with files that are not in the system's memory. Needs root.
    Cold,
    /// A dashboard.
    Page,
}
