//! The outcome of a command.

/// The result of a command that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    /// The command has already printed the reason.
    Failed,
}
