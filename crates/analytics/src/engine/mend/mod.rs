//! Finds damage, saves the rows that are left, and replaces the file.

pub(crate) mod examine;
pub(crate) mod remains;
pub(crate) mod replace;
pub(crate) mod salvage;
pub(crate) mod wipe;
