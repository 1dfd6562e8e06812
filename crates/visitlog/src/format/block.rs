//! Rows in memory: their columns, their numbers, and blocks of them, column by column.

use slugline_analytics::{
    columns::{Family, STORED, TEXTS},
    row::Row,
};

use super::{
    dictionary::Texts,
    selection::{Selection, index, number},
    values::Values,
};

/// Some rows. Columns that no question asked for are empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) rows: usize,
    /// The moment after which neither this block nor a later block of the scan has a row, if that
    /// is known.
    pub(crate) no_later_than: Option<i64>,
    /// Milliseconds since 1970.
    pub(crate) time: Values<i64>,
    pub(crate) interval: Values<u32>,
    /// 1 if the row is coherent, so that it counts for visitors.
    pub(crate) coherent: Values<u8>,
    pub(crate) link: Values<i64>,
    pub(crate) visitor: Values<u64>,
    /// The entry of each row, for each family.
    pub(crate) codes: [Option<Values<u32>>; Family::ALL.len()],
    /// The number of rows of each entry of a family, if only that was read.
    pub(crate) counts: [Option<Vec<u32>>; Family::ALL.len()],
    /// The largest possible number of entries in the rows, for each family.
    pub(crate) most: [Option<usize>; Family::ALL.len()],
    /// The fingerprints of the entries' texts, for each family.
    pub(crate) keys: [Option<Vec<u64>>; Family::ALL.len()],
    /// The ends of the targets' runs, if the block has all rows of a chunk and the rows of each
    /// target are one run.
    pub(crate) target_ends: Option<Vec<u32>>,
    /// The numbers in the chunk of the entries of a family of which only a few are left.
    pub(crate) few: [Option<Vec<u32>>; Family::ALL.len()],
    /// The texts of the family's entries, for each column.
    pub(crate) texts: [Option<Texts>; TEXTS.len()],
}

impl Block {
    /// Makes a column of texts unknown in all rows, and gives the rows an entry if they have none.
    pub(crate) fn forget(&mut self, column: usize) {
        self.codes[TEXTS[column].family.index()].get_or_insert(Values::Same(0));
        self.texts[column] = Some(Texts::unknown(column));
    }

    /// Makes a column of texts unknown in all rows; their entries stay.
    pub(crate) fn hide(&mut self, column: usize) {
        self.texts[column] = Some(Texts::unknown(column));
    }

    /// The texts of a column, if they are in this block and not only in the chunk.
    pub(crate) fn texts_here(&self, column: usize) -> Option<&Texts> {
        self.texts[column].as_ref()
    }

    /// The numbers of a row that is to be written again.
    pub(crate) fn numbers(&self, row: usize) -> Numbers {
        Numbers {
            time: self.time.at(row),
            link: self.link.at(row),
            visitor: self.visitor.at(row),
            interval: self.interval.at(row),
            coherent: self.coherent.at(row) == 1,
        }
    }

    /// The texts of a row.
    #[cfg(test)]
    pub(crate) fn texts_of(&self, row: usize) -> RowTexts<'_> {
        RowTexts(std::array::from_fn(|column| self.text(column, row)))
    }

    /// The entry of each row in a family.
    pub(crate) fn codes(&self, family: Family) -> &Values<u32> {
        let codes = self.codes[family.index()].as_ref();
        codes.expect("the column was asked for")
    }

    /// The most entries of a family that the rows can have.
    pub(crate) fn entries(&self, family: Family) -> usize {
        let largest = || self.codes(family).largest();
        let entries = || largest().map_or(0, |entry| index(entry) + 1);
        self.most[family.index()].unwrap_or_else(entries)
    }

    /// The texts of the column with this index in [`TEXTS`].
    pub(crate) fn texts(&self, column: usize) -> &Texts {
        let texts = self.texts[column].as_ref();
        texts.expect("the column was asked for")
    }

    /// The text of one row.
    pub(crate) fn text(&self, column: usize, row: usize) -> &str {
        let entry = self.codes(TEXTS[column].family).at(row);
        self.texts(column).get(entry)
    }

    /// Keeps only some rows.
    pub(crate) fn keep(&mut self, rows: &Selection) {
        self.rows = rows.count(self.rows);
        self.time.keep(rows);
        self.interval.keep(rows);
        self.coherent.keep(rows);
        self.link.keep(rows);
        self.visitor.keep(rows);
        debug_assert!(
            self.counts.iter().all(Option::is_none),
            "counts are of all rows"
        );
        for codes in self.codes.iter_mut().flatten() {
            codes.keep(rows);
        }
        if *rows != Selection::All {
            self.target_ends = None;
        }
    }

    /// The fingerprints of the entries of a family, if they were read instead of
    /// texts.
    pub(crate) fn keys(&self, family: Family) -> Option<&[u64]> {
        self.keys[family.index()].as_deref()
    }

    /// The visits of each entry of a family.
    pub(crate) fn visits_of_entries(&self, family: Family) -> Vec<u64> {
        if let (Family::VisitedLink, Some(ends), Values::Same(interval)) =
            (family, &self.target_ends, &self.interval)
        {
            let starts = std::iter::once(&0).chain(ends);
            let rows = ends.iter().zip(starts).map(|(end, start)| end - start);
            return rows
                .map(|rows| u64::from(rows) * u64::from(*interval))
                .collect();
        }
        if let (Some(counts), Values::Same(interval)) =
            (&self.counts[family.index()], &self.interval)
        {
            let visits = |&rows: &u32| u64::from(rows) * u64::from(*interval);
            return counts.iter().map(visits).collect();
        }
        let mut visits = vec![0_u64; self.entries(family)];
        match (self.codes(family), &self.interval) {
            (Values::Same(entry), Values::Same(interval)) => {
                visits[index(*entry)] = number(self.rows) * u64::from(*interval);
            }
            (Values::Each(entries), Values::Same(interval)) => {
                for &entry in entries {
                    visits[index(entry)] += 1;
                }
                for visits in &mut visits {
                    *visits *= u64::from(*interval);
                }
            }
            (entries, Values::Each(intervals)) => {
                for (row, &interval) in intervals.iter().enumerate() {
                    visits[index(entries.at(row))] += u64::from(interval);
                }
            }
        }
        visits
    }
}

/// A column of visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Time,
    Interval,
    Coherent,
    Link,
    Visitor,
    /// The column with this index in [`TEXTS`].
    Text(usize),
    /// The different texts of that column, and the text of each row unless the question needs all
    /// rows.
    Different(usize),
    /// The entry of each row in that column's family, and the keys for looking the entries' texts
    /// up: fingerprints, or the texts themselves.
    Entries(usize),
}

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
