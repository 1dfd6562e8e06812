//! Parts of the benchmark.

use clap::ValueEnum;

/// A part of `analytics`, for `--only`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// All questions, five times in turn.
    Questions,
    /// All questions once, with files that are not in the system's memory. Needs root.
    Cold,
    /// A few questions in SQL that count rows, and in SQL that honours sampling.
    Sampling,
    /// A dashboard.
    Page,
    /// Redirects beside questions.
    Redirects,
    /// A few questions about a log sampled at about 8, and about logs with longer salts.
    Logs,
    /// The pace of visits through the recorder into ClickHouse.
    Ingest,
}
