//! The statements that make the tables of an access log.

use std::path::Path;

use slugline_analytics::{OpenError, journal::open, transfer::marks};

use crate::file::{leaving::LEAVING, schema::ACCESS_LOG};

/// The statements that made the schema of an access log.
#[derive(Clone, Copy, Debug)]
pub struct Making {
    /// The statements that every file of this version had.
    pub statements: &'static [&'static str],
    /// Statements for tables that a file has only after an import or a move.
    pub further: &'static [&'static str],
}

/// The statements that made this file, by its version.
///
/// # Errors
/// The file cannot be opened, is no access log, or was written by a newer version.
pub fn making_of(path: &Path) -> Result<Making, OpenError> {
    Ok(Making {
        statements: open::making_of(&ACCESS_LOG, path)?,
        further: &[marks::TABLE, LEAVING],
    })
}
