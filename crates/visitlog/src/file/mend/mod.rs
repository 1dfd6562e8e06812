//! Examines a damaged file, and rebuilds it from its readable rows.

pub(crate) mod examine;
pub(crate) mod salvage;
