//! What is done about a damaged file.

pub(crate) mod examine;
pub(crate) mod remains;
pub(crate) mod replace;
pub(crate) mod salvage;
pub(crate) mod wipe;
