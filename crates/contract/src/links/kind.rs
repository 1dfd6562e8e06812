//! The kinds of values in the columns of a table.

/// The kind of values in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Flag,
    Tags,
    Geo,
    Json,
}
