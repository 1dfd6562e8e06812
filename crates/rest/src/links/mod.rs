//! `/api/link/…`

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod query;

/// The group of these operations in the document.
const TAG: &str = "Links";
