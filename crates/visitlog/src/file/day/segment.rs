//! The visits of a day that totals are of.

use slugline_domain::Bots;

/// All visits of a day or of one of its domains, or some of them. Each segment has a record of its
/// own, because a record has room for 256 columns, and because a question then reads only the
/// columns of its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    All,
    /// Visits without those of bots.
    People,
    Bots,
}

/// The visits that segments are parts of: all of a day, or those of one domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scope(u16);

impl Segment {
    /// Each segment, by its index.
    pub(crate) const EACH: [Self; 3] = [Self::All, Self::People, Self::Bots];

    /// The index of the segment among those of a scope.
    pub(crate) fn index(self) -> usize {
        match self {
            Self::All => 0,
            Self::People => 1,
            Self::Bots => 2,
        }
    }

    /// The segment that a question is about.
    pub(crate) fn of(bots: Bots) -> Self {
        match bots {
            Bots::Include => Self::All,
            Bots::Exclude => Self::People,
            Bots::Only => Self::Bots,
        }
    }
}

impl Scope {
    /// All visits of a day.
    pub(crate) const ALL: Self = Self(0);

    /// The visits of the domain at this position among those of the day that have totals.
    pub(crate) fn of_domain(position: usize) -> Self {
        Self(u16::try_from(position + 1).expect("few domains of a day have totals"))
    }

    /// The number of a segment's record in the file.
    pub(crate) fn record(self, segment: Segment) -> u16 {
        let segment = match segment {
            Segment::All => 0,
            Segment::People => 1,
            Segment::Bots => 2,
        };
        self.0 * 3 + segment
    }

    /// The name of a column in a segment's record. A checksum covers the name, so no column of
    /// another record passes for it.
    pub(crate) fn column(self, segment: Segment, name: &str) -> String {
        let of_segment = match segment {
            Segment::All => "",
            Segment::People => "people ",
            Segment::Bots => "bots ",
        };
        match self {
            Self::ALL => format!("{of_segment}{name}"),
            Self(number) => format!("{number} {of_segment}{name}"),
        }
    }
}
