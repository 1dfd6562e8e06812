//! `/api/domains`

pub(crate) mod add;
pub(crate) mod edit;
pub(crate) mod list;
pub(crate) mod remove;

/// The group of these operations in the document.
const TAG: &str = "Domains";
const PATH: &str = "/api/domains";
