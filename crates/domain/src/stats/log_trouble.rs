//! What keeps the access log from its work.

use std::fmt;

/// Something that does not work in the access log at the moment. Redirects go
/// on whatever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogTrouble {
    /// The disk refuses visits. They wait in memory, and are dropped when there
    /// is no room for more.
    NotStoring,
    /// The file in which visits wait for ClickHouse is full, so new ones are
    /// dropped.
    Full,
    /// ClickHouse takes no visits. They wait in the data folder.
    NotShipping,
    /// Some stored visits cannot be read. Answers leave them out and say so.
    Damaged,
}

impl fmt::Display for LogTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotStoring => "the disk takes no visits",
            Self::Full => "the spool is full and drops visits",
            Self::NotShipping => "ClickHouse takes no visits; they wait in the spool",
            Self::Damaged => "some stored visits cannot be read; `slugline doctor` names them",
        })
    }
}
