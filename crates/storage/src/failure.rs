//! The reasons why a read or a change fails.

use std::{error::Error as StdError, sync::Arc, time::Duration};

#[cfg(feature = "postgres")]
use sea_orm::DbErr;
use slugline_domain::ports::StoreError;
use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[cfg(feature = "postgres")]
    #[error(transparent)]
    Postgres(#[from] DbErr),
    #[cfg(feature = "postgres")]
    #[error("PostgreSQL did not answer within {} seconds", .0.as_secs())]
    Silent(Duration),
    #[cfg(feature = "sqlite")]
    #[error("there was no answer within {} ms", .0.as_millis())]
    TooSlow(Duration),
    #[cfg(feature = "sqlite")]
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[cfg(feature = "sqlite")]
    #[error("SQLite has no type for a value of the statement")]
    NoSuchType,
    #[cfg(feature = "sqlite")]
    #[error("SQLite cannot begin a transaction")]
    NotBegun(#[source] Arc<rusqlite::Error>),
    #[cfg(feature = "sqlite")]
    #[error("the thread that writes links cannot start")]
    Thread(#[source] std::io::Error),
    #[cfg(feature = "sqlite")]
    #[error("the thread that writes links has ended")]
    WriterEnded,
    #[cfg(feature = "postgres")]
    #[error(transparent)]
    OfShared(Arc<Failure>),
    #[error("the thread that reads links has ended")]
    ReaderEnded,
    #[error(transparent)]
    BadRow(#[from] BadRow),
    #[error("a stored link has an invalid tag")]
    BadTag(#[from] slugline_domain::TagError),
    #[error("a stored link has an invalid id")]
    BadId(#[from] slugline_domain::LinkIdError),
    #[error("a line of the audit trail has an invalid name of a caller")]
    BadCaller(#[from] slugline_domain::CallerNameError),
    #[error("a line of the audit trail has an invalid key of a link")]
    BadKey(#[from] slugline_domain::LinkKeyError),
    #[error("a stored domain has an invalid name")]
    BadDomain(#[from] slugline_domain::HostError),
    #[error("a stored domain has an invalid address")]
    BadDomainUrl,
    #[error("a stored token is invalid")]
    BadToken,
    #[error("what is stored about an assistant is invalid")]
    BadAssistant,
    #[error("a stored secret is invalid")]
    BadSecret,
    #[error("a stored migration run has an invalid number")]
    BadRun,
    #[error("other writers kept taking the same slugs")]
    Contended,
    #[error("other links already have both ids of a link to be moved")]
    NoIdLeft,
}

/// A row breaks a rule of the domain.
#[derive(Debug, Error)]
#[error("link {id} has an invalid {column}")]
pub(crate) struct BadRow {
    pub(crate) id: String,
    pub(crate) column: &'static str,
    #[source]
    pub(crate) source: Box<dyn StdError + Send + Sync>,
}

/// Makes the port's error for a failure in the middle of an action.
pub(crate) fn failing_to(action: &'static str) -> impl Fn(Failure) -> StoreError {
    move |failure| {
        #[cfg(feature = "sqlite")]
        if let Failure::TooSlow(limit) = failure {
            return StoreError::TooSlow { action, limit };
        }
        StoreError::Failed {
            action,
            source: failure.into(),
        }
    }
}
