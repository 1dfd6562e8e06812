//! Troubles of the access log.

use std::fmt;

/// A current fault of the access log. Redirects continue in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogTrouble {
    /// The disk refuses visits. They wait in memory; when that is full, new
    /// ones are dropped.
    NotStoring,
    /// The file in which visits wait for ClickHouse is full, so new ones are
    /// dropped.
    Full,
    /// ClickHouse accepts no visits. They wait in the data folder.
    NotShipping,
    /// A thread of the access log has panicked since the start. It goes on, but visits may be
    /// missing.
    Panicked,
    /// Some stored visits cannot be read. Answers leave them out and say so.
    Damaged,
}

impl fmt::Display for LogTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotStoring => "the disk takes no visits",
            Self::Full => "the spool is full and drops visits",
            Self::NotShipping => "ClickHouse takes no visits; they wait in the spool",
            Self::Panicked => {
                "a bug may have cost visits; please report the panic that the log shows"
            }
            Self::Damaged => "some stored visits cannot be read; `slugline doctor` names them",
        })
    }
}
