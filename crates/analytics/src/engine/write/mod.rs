//! The way of a visit into the file: rows of the tail, then chunks.

pub(crate) mod append;
pub(crate) mod draft;
pub(crate) mod embedded_rows;
pub(crate) mod log_length;
pub(crate) mod row_table;
pub(crate) mod seal;
