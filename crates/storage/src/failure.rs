//! Why a read or a change did not work out.

use std::sync::Arc;

use sea_orm::DbErr;
use slugline_domain::ports::StoreError;
use thiserror::Error;

use crate::links::BadRow;

#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Postgres(#[from] DbErr),
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error("SQLite has no type for a value of the statement")]
    NoSuchType,
    #[error("no transaction can begin")]
    NotBegun(#[source] Arc<rusqlite::Error>),
    #[error("the thread that writes links cannot start")]
    Thread(#[source] std::io::Error),
    #[error("the thread that writes links has ended")]
    WriterEnded,
    #[error("the thread that reads links has ended")]
    ReaderEnded,
    #[error(transparent)]
    BadRow(#[from] BadRow),
    #[error("a link holds a wrong tag")]
    BadTag(#[from] slugline_domain::TagError),
    #[error("a link holds a wrong id")]
    BadId(#[from] slugline_domain::LinkIdError),
    #[error("a run of the migration holds a wrong number")]
    BadRun,
    #[error("others took the same slugs again and again")]
    Contended,
    #[error("other links have both ids of a link that is to be moved")]
    NoIdLeft,
}

/// The port's error for a failure in the middle of an action.
pub(crate) fn failing_to(action: &'static str) -> impl Fn(Failure) -> StoreError {
    move |failure| StoreError {
        action,
        source: failure.into(),
    }
}
