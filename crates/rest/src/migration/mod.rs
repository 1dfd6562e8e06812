//! `/api/link/migration/…`

pub(crate) mod run;
pub(crate) mod status;

/// The group of these operations in the document.
const TAG: &str = "Migration";
