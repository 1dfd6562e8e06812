//! The columns of a chunk.

use super::dictionary::{EMPTY, OTHER};

/// A column of visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Time,
    Interval,
    Coherent,
    Target,
    Visitor,
    Referer,
    Place,
    Client,
    Language,
}

impl Column {
    pub(super) const ALL: [Self; 9] = [
        Self::Time,
        Self::Interval,
        Self::Coherent,
        Self::Target,
        Self::Visitor,
        Self::Referer,
        Self::Place,
        Self::Client,
        Self::Language,
    ];

    /// The number that stands for an unknown value. `None` for a column that
    /// every row needs.
    pub(super) fn unknown(self) -> Option<u32> {
        match self {
            Self::Referer | Self::Language => Some(EMPTY),
            Self::Target | Self::Place | Self::Client => Some(OTHER),
            Self::Time | Self::Interval | Self::Coherent | Self::Visitor => None,
        }
    }

    /// The column of table `chunk`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Time => "ts",
            Self::Interval => "si",
            Self::Coherent => "coh",
            Self::Target => "target",
            Self::Visitor => "ip",
            Self::Referer => "ref",
            Self::Place => "place",
            Self::Client => "client",
            Self::Language => "lang",
        }
    }
}
