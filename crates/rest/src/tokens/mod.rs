//! `/api/tokens`

pub(crate) mod list;
pub(crate) mod make;
pub(crate) mod revoke;

/// The group of these operations in the document.
const TAG: &str = "Access";
const PATH: &str = "/api/tokens";
