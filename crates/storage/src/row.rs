//! Rows of either database.

use sea_orm::TryGetable;

use crate::failure::Failure;

/// A row, read column by column.
pub(crate) trait Row: Sized {
    /// Takes the columns in the order of the statement.
    fn read(columns: &mut impl Columns) -> Result<Self, Failure>;
}

/// The columns of a row, taken one after the other.
pub(crate) trait Columns {
    /// Takes the next column.
    fn next<C: Column>(&mut self) -> Result<C, Failure>;
}

/// A type that a column of either database is read as.
#[cfg(feature = "sqlite")]
pub(crate) trait Column: TryGetable + rusqlite::types::FromSql {}
/// A type that a column is read as.
#[cfg(not(feature = "sqlite"))]
pub(crate) trait Column: TryGetable {}

/// Rows of one column, and columns that may be `NULL`.
macro_rules! columns {
    ($($type:ty),*) => {$(
        impl Column for $type {}
        impl Column for Option<$type> {}

        impl Row for $type {
            fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
                columns.next()
            }
        }
    )*};
}

columns!(String, i64, bool);

impl<A: Row, B: Row> Row for (A, B) {
    fn read(columns: &mut impl Columns) -> Result<Self, Failure> {
        Ok((A::read(columns)?, B::read(columns)?))
    }
}
