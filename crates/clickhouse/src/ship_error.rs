//! The errors of shipping.

use thiserror::Error;

use crate::error::ClickHouseError;

/// The reason why rows remain in the spool.
#[derive(Debug, Error)]
pub(crate) enum ShipError {
    #[error("the spool cannot be read or written")]
    Spool(#[from] rusqlite::Error),
    #[error("the spool has rows of format {format}, which this version does not know")]
    Format { format: u32 },
    #[error("visits cannot be sent")]
    ClickHouse(#[from] ClickHouseError),
}
