//! A damaged file is examined, and rebuilt from what is left.

pub(crate) mod examine;
pub(crate) mod salvage;
