//! The columns of a chunk.

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
