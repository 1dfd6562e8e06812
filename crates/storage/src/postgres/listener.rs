//! Listens to PostgreSQL's announcements.
//!
//! A listener that lost its connection may have missed announcements. So it is deaf from the
//! moment it notices until it listens again, and then all earlier reads count as outdated. It
//! detects a dead connection by an unanswered ping.

use std::{future::Future, sync::Arc, time::Duration};

use slugline_domain::ports::LinkObserver;
use sqlx::{
    Acquire, Connection, Executor, PgConnection, Row,
    postgres::{PgConnectOptions, PgListener, PgNotification, PgPoolOptions},
};
use thiserror::Error;
use tokio::{
    task::AbortHandle,
    time::{sleep, timeout},
};

use super::{
    announcement::{Announcement, CHANNEL},
    ear::Ear,
};

/// The time without a message after which the listener pings the server.
const SILENCE: Duration = Duration::from_secs(1);

/// The timeout of a ping.
const ANSWER: Duration = Duration::from_secs(2);

/// The timeout for connecting, and for the listener's own announcement to come back.
const START: Duration = Duration::from_secs(5);

/// The pause before the next connection: short at first, then doubled after each failed
/// attempt.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A running listener on PostgreSQL. Dropping this stops it.
#[derive(Debug)]
pub struct Listening(AbortHandle);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Starts to listen, and keeps listening.
pub(super) fn start(
    server: Arc<PgConnectOptions>,
    ear: Arc<Ear>,
    observer: Arc<dyn LinkObserver>,
) -> Listening {
    let listener = Listener {
        server,
        ear,
        observer,
    };
    Listening(tokio::spawn(listener.run()).abort_handle())
}

struct Listener {
    server: Arc<PgConnectOptions>,
    ear: Arc<Ear>,
    observer: Arc<dyn LinkObserver>,
}

/// The reason why the listener is deaf.
#[derive(Debug, Error)]
enum Lost {
    #[error("the database closed the connection")]
    Closed,
    #[error("the database did not {0} in time")]
    Silent(&'static str),
    #[error(transparent)]
    Failed(#[from] sqlx::Error),
}

impl Listener {
    async fn run(self) {
        let mut pause = SHORTEST_PAUSE;
        let mut is_reported = false;
        loop {
            let lost = match self.connect().await {
                Ok(line) => {
                    self.ear.open_anew();
                    if is_reported {
                        tracing::info!("changes to links by other nodes are heard of again");
                    }
                    (pause, is_reported) = (SHORTEST_PAUSE, false);
                    let lost = self.listen(line).await;
                    self.ear.close();
                    lost
                }
                Err(lost) => {
                    pause = (pause * 2).min(LONGEST_PAUSE);
                    lost
                }
            };
            if !is_reported {
                tracing::warn!(
                    reason = %lost,
                    "changes to links by other nodes are not heard of; until they are, each link \
                     is read again after a second"
                );
                is_reported = true;
            }
            sleep(pause).await;
        }
    }

    /// A connection on which a test announcement has arrived.
    async fn connect(&self) -> Result<PgListener, Lost> {
        let connecting = async {
            // A listener takes its connection from a pool. This pool has only that connection.
            let pool = PgPoolOptions::new().max_connections(1).max_lifetime(None);
            let pool = pool.connect_with(self.server.as_ref().clone()).await?;
            PgListener::connect_with(&pool).await
        };
        let mut line = within(START, "accept a connection", connecting).await?;
        line.eager_reconnect(false);
        let own = within(START, "take a listener", subscribe(&mut line)).await?;
        // A connection pooler between us and the server may accept `LISTEN` and then forward
        // nothing.
        within(START, "announce anything", self.call(&own)).await?;
        let heard = async {
            loop {
                let message = line.try_recv().await?.ok_or(Lost::Closed)?;
                // Earlier messages change nothing: all reads before this one count as outdated.
                if message.channel() == own {
                    return Ok::<(), Lost>(());
                }
            }
        };
        let echo = timeout(START, heard).await;
        echo.map_err(|_| Lost::Silent("pass on an announcement"))??;
        Ok(line)
    }

    /// Sends an announcement on this channel, from another connection.
    async fn call(&self, channel: &str) -> Result<(), sqlx::Error> {
        let mut connection = PgConnection::connect_with(&self.server).await?;
        let called = sqlx::query("SELECT pg_notify($1, '')").bind(channel);
        called.execute(&mut connection).await?;
        connection.close().await
    }

    async fn listen(&self, mut line: PgListener) -> Lost {
        loop {
            match timeout(SILENCE, line.try_recv()).await {
                Ok(Ok(Some(message))) => self.pass_on(&message),
                Ok(Ok(None)) => return Lost::Closed,
                Ok(Err(error)) => return error.into(),
                Err(_) => {
                    let ping = async { line.acquire().await?.ping().await };
                    if let Err(lost) = within(ANSWER, "answer", ping).await {
                        return lost;
                    }
                }
            }
        }
    }

    fn pass_on(&self, message: &PgNotification) {
        if message.channel() != CHANNEL {
            return;
        }
        match Announcement::parse(message.payload()) {
            Announcement::Links(changes) => {
                for change in &changes {
                    self.observer.changed(change);
                }
            }
            Announcement::Everything => self.ear.open_anew(),
        }
    }
}

/// Listens to announcements, and to a unique channel; returns the channel's name.
async fn subscribe(line: &mut PgListener) -> Result<String, sqlx::Error> {
    let session = line.fetch_one("SELECT pg_backend_pid()").await?;
    let own = format!("slugline_echo_{}", session.try_get::<i32, _>(0)?);
    line.listen_all([CHANNEL, &own]).await?;
    Ok(own)
}

async fn within<T>(
    limit: Duration,
    action: &'static str,
    work: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, Lost> {
    match timeout(limit, work).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(Lost::Silent(action)),
    }
}
