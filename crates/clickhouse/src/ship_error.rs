//! The errors of shipping.

use thiserror::Error;

use crate::error::ClickHouseError;

/// The reason why rows remain in the spool.
#[derive(Debug, Error)]
pub(crate) enum ShipError {
    #[error("the spool cannot be read or written")]
    Spool(#[from] rusqlite::Error),
    #[error("visits cannot be sent")]
    ClickHouse(#[from] ClickHouseError),
}
