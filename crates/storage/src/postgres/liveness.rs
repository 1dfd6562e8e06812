//! Detects dead connections.
//!
//! A machine that vanishes, or a firewall that forgets a connection, sends nothing.
//! Statements on such a connection would wait until the operating system gives up,
//! a quarter of an hour later, and the pool would test it for as long.

use std::{io, time::Duration};

use sqlx::{Connection, PgConnection, postgres::PgPoolOptions};
use tokio::time::timeout;

/// A connection used within this time needs no check.
const BELIEVED: Duration = Duration::from_secs(5);

/// The timeout of the ping before a connection is used.
const BEFORE: Duration = Duration::from_secs(1);

/// The timeout of the ping after use. A statement whose caller hung up may still run.
const AFTER: Duration = Duration::from_secs(12);

/// Makes a pool discard connections that do not answer.
pub(super) fn checked(options: PgPoolOptions) -> PgPoolOptions {
    options
        .before_acquire(|connection, known| {
            Box::pin(async move {
                if known.idle_for >= BELIEVED {
                    ping(connection, BEFORE).await?;
                }
                Ok(true)
            })
        })
        .after_release(|connection, _| {
            Box::pin(async move {
                ping(connection, AFTER).await?;
                Ok(true)
            })
        })
}

async fn ping(connection: &mut PgConnection, limit: Duration) -> Result<(), sqlx::Error> {
    let answer = timeout(limit, connection.ping()).await;
    answer.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
}
