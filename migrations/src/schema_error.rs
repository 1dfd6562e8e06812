//! The reasons why a schema stays as it is.

use sea_orm::DbErr;
use thiserror::Error;

/// The schema does not match this version.
#[derive(Debug, Error)]
pub enum SchemaError {
    /// A later version took these steps. This version might misread its data.
    #[error(
        "a later version of Slugline has changed the schema ({}); start that version, or restore \
         a backup from before",
        .0.join(", ")
    )]
    Later(Vec<String>),
    /// Another build from before a release made the schema. No step leads from there to this one. The text says
    /// how the database shows it.
    #[error(
        "another build of Slugline made this database ({0}), and this one cannot use it; nothing \
         was changed. Write its links and visits to files with that build, `slugline export \
         links.json` and `slugline visits export visits.ndjson`, and read them with this one into \
         a new data folder or database, `slugline import links.json` and `slugline visits import \
         visits.ndjson`"
    )]
    OtherBuild(String),
    /// The database failed or refused.
    #[error(transparent)]
    Database(#[from] DbErr),
}
