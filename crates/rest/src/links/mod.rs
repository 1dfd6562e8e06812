//! `/api/link/…`

pub(crate) mod change;
pub(crate) mod create;
pub(crate) mod history;
pub(crate) mod inspect;
pub(crate) mod read;
pub(crate) mod transfer;

/// The group of these operations in the document.
const TAG: &str = "Links";
