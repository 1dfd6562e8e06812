//! One row: its numbers and its texts.

use slugline_analytics::{
    columns::{STORED, TEXTS},
    row::Row,
};

/// The numbers of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) time: i64,
    pub(crate) link: i64,
    pub(crate) visitor: u64,
    pub(crate) interval: u32,
    pub(crate) coherent: bool,
}

impl Numbers {
    /// The numbers of a row whose link has this number.
    pub(crate) fn of(row: &Row<'_>, link: i64) -> Self {
        Self {
            time: row.at.get(),
            link,
            visitor: row.visitor.0,
            interval: row.sampled.interval.get(),
            coherent: row.sampled.coherent,
        }
    }
}

/// The texts of a row from a block.
#[derive(Debug)]
pub(crate) struct RowTexts<'r>(pub(crate) [&'r str; STORED]);

impl RowTexts<'_> {
    /// The texts of a visit of which nothing is known.
    pub(crate) const UNKNOWN: Self = Self({
        let mut texts = [""; STORED];
        let mut column = 0;
        while column < STORED {
            texts[column] = TEXTS[column].unknown;
            column += 1;
        }
        texts
    });
}
