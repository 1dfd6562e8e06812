//! The reasons why a schema stays as it is.

use sea_orm::DbErr;
use thiserror::Error;

/// The schema does not match this version.
#[derive(Debug, Error)]
pub enum SchemaError {
    /// A later version applied these steps. This version might misread its data.
    #[error(
        "a later version of Slugline has changed the schema ({}); start that version, or restore \
         a backup from before",
        .0.join(", ")
    )]
    Later(Vec<String>),
    /// Another process uses the database, and may be of an earlier version, which would misread
    /// what the steps make of it. The text says which processes, if the database tells.
    #[error(
        "another process uses the database{0}, and this upgrade must have it alone: stop every \
         slugline of an earlier version first, and whatever else reads the links, then start this \
         one again; nothing was changed"
    )]
    InUse(String),
    /// The database failed or refused.
    #[error(transparent)]
    Database(#[from] DbErr),
}
