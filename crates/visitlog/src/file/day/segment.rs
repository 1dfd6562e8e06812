//! The visits of a day that totals are of.

use slugline_domain::Bots;

/// All visits of a day, or some of them. Each segment has a record of its own, because a record has
/// room for 256 columns, and because a question then reads only the columns of its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    All,
    /// Visits without those of bots.
    People,
    Bots,
}

impl Segment {
    /// Each segment, by its number.
    pub(crate) const EACH: [Self; 3] = [Self::All, Self::People, Self::Bots];

    /// The number of the segment's record in the file.
    pub(crate) fn number(self) -> u16 {
        match self {
            Self::All => 0,
            Self::People => 1,
            Self::Bots => 2,
        }
    }

    /// The number as an index.
    pub(crate) fn index(self) -> usize {
        self.number().into()
    }

    /// The segment that a question is about.
    pub(crate) fn of(bots: Bots) -> Self {
        match bots {
            Bots::Include => Self::All,
            Bots::Exclude => Self::People,
            Bots::Only => Self::Bots,
        }
    }

    /// The name of a column in the segment's record. A checksum covers the name, so no column of
    /// another record passes for it.
    pub(crate) fn column(self, name: &str) -> String {
        match self {
            Self::All => name.to_owned(),
            Self::People => format!("people {name}"),
            Self::Bots => format!("bots {name}"),
        }
    }
}
