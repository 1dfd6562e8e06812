//! The reasons why a database is not opened.

use slugline_migrations::SchemaError;
use thiserror::Error;

#[cfg(not(all(feature = "postgres", feature = "sqlite")))]
use crate::database_url::DatabaseUrl;

/// The database of links could not be opened.
#[derive(Debug, Error)]
#[error("the links database cannot be opened: {reason}")]
pub struct ConnectError {
    /// The message of the database, or of the system on the way to it.
    pub reason: String,
}

#[cfg(not(all(feature = "postgres", feature = "sqlite")))]
impl ConnectError {
    /// The crate was built without the feature for this kind of database.
    pub(crate) fn not_built(url: &DatabaseUrl) -> Self {
        let feature = match url {
            DatabaseUrl::File(_) => "sqlite",
            DatabaseUrl::Postgres(_) => "postgres",
        };
        let reason = format!("slugline-storage was built without its feature `{feature}`");
        Self { reason }
    }
}

/// A store of links could not be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The database could not be opened.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The database refused a step of the schema, or a later version or another build has changed
    /// the schema.
    #[error("the schema cannot be brought up to date")]
    Schema(#[source] SchemaError),
    /// The schema lacks these steps.
    #[error(
        "the schema lacks {}; `SqlLinkStore::open` takes these steps, and so does `slugline serve`",
        .0.join(", ")
    )]
    Behind(Vec<&'static str>),
}

/// The error for a reason in the words of the database.
pub(crate) fn refused(error: &(dyn std::error::Error + 'static)) -> ConnectError {
    ConnectError {
        reason: root_cause(error),
    }
}

/// The innermost error: the outer ones repeat it.
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    error.source().map_or_else(|| error.to_string(), root_cause)
}
