//! The columns that a question can read.

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
