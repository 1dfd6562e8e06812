//! Answers of the server: the time that they may take, and connections that it closed.

use std::{future::Future, time::Duration};

use sea_orm::{DbErr, RuntimeErr};
use sqlx::error::DatabaseError;
use tokio::time::timeout;

use crate::failure::Failure;

/// The timeout for a step of a read or a change. It is longer than the timeouts for a
/// connection and for a statement together, so a server that is only slow answers earlier.
pub(super) const STEP: Duration = Duration::from_secs(16);

/// Waits for an answer of the server with a timeout: the server's own limits end a slow
/// statement only while the server runs and can be reached.
pub(super) async fn answered<T>(
    limit: Duration,
    answer: impl Future<Output = T>,
) -> Result<T, Failure> {
    let answer = timeout(limit, answer).await;
    answer.map_err(|_| Failure::Silent(limit))
}

/// Returns whether the connection was closed before the server read the statement. A server
/// that restarts closes all connections, and the pool notices each only when it is used. So as
/// many attempts may fail as there are connections.
pub(super) fn was_cut(error: &DbErr) -> bool {
    /// The errors `admin_shutdown`, `crash_shutdown` and
    /// `idle_session_timeout`. The server leaves them on a connection that it
    /// closes, where the next statement finds them
    /// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
    const LAST_WORDS: [&str; 3] = ["57P01", "57P02", "57P05"];
    let (DbErr::Conn(error) | DbErr::Exec(error) | DbErr::Query(error)) = error else {
        return false;
    };
    let RuntimeErr::SqlxError(error) = error else {
        return false;
    };
    let last_words = error.as_database_error().and_then(DatabaseError::code);
    matches!(error.as_ref(), sqlx::Error::Io(_))
        || last_words.is_some_and(|code| LAST_WORDS.contains(&code.as_ref()))
}
