//! Reads, repeated on another connection if the server had closed the first one.

use sea_orm::DatabaseConnection;

use super::statements::{Statements, was_cut};
use crate::{failure::Failure, session::Session};

/// The most connections of a pool.
pub(super) const MAX_CONNECTIONS: u32 = 10;

/// Reads on the pool, and reads again if the server had closed the connection.
pub(super) async fn read<T>(
    pool: &DatabaseConnection,
    read: &impl AsyncFn(&Session<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let session = Session::Postgres(Statements::Pool(pool));
    for _ in 0..MAX_CONNECTIONS {
        match read(&session).await {
            Err(Failure::Postgres(error)) if was_cut(&error) => {}
            answer => return answer,
        }
    }
    read(&session).await
}
