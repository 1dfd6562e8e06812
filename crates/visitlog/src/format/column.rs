//! The columns that a question can read.

/// A column of visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Time,
    Interval,
    Coherent,
    Link,
    Visitor,
    /// The column of [`TEXTS`] at this place.
    Text(usize),
    /// The different texts of that column, and which one each row has unless all
    /// rows are asked for.
    Different(usize),
    /// Which entry of that column's family each row has, and what to look the
    /// entries' texts up by: fingerprints, or the texts themselves.
    Entries(usize),
}
