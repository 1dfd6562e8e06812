//! Learns of changes to links by any node, from PostgreSQL.
//!
//! Triggers record each change in the outbox. After a commit a node rings a bell (`NOTIFY` in a
//! transaction of its own), and every node reads the outbox. Nodes also read it at a short
//! interval, because `psql` and a node that dies after a commit do not ring.
//!
//! A listener that lost its connection may have missed changes. So it is deaf from the moment
//! it notices until it reads again, and then all earlier reads count as outdated.

use std::{future::Future, sync::Arc, time::Duration};

use slugline_domain::ports::LinkObserver;
use sqlx::{
    Acquire, Executor,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions},
};
use thiserror::Error;
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};

use super::{
    announcement::Announcement,
    ear::Ear,
    outbox::{self, News, Outbox},
};
use crate::listening::Listening;

/// The interval at which the outbox is read when no bell rings.
const INTERVAL: Duration = Duration::from_millis(250);

/// The pause between two reads: bells that ring meanwhile lead to one read.
const PAUSE: Duration = Duration::from_millis(3);

/// The timeout of a statement. A connection that takes longer is given up.
const ANSWER: Duration = Duration::from_secs(2);

/// The timeout for connecting.
const START: Duration = Duration::from_secs(5);

/// The pause before the next connection: short at first, then doubled after each failed
/// attempt.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The channel of the bell.
const CHANNEL: &str = "slugline_links";

/// Rings the bell of all nodes. A node from before the outbox takes `*` for "everything may
/// have changed"; others ignore the payload.
const RING: &str = "SELECT pg_notify('slugline_links', '*')";

/// Starts to listen, and keeps listening.
pub(super) fn start(
    server: Arc<PgConnectOptions>,
    ear: Arc<Ear>,
    bell: Arc<Notify>,
    observer: Arc<dyn LinkObserver>,
) -> Listening {
    let listener = Listener {
        server,
        ear,
        bell,
        observer,
    };
    Listening::task(tokio::spawn(listener.run()).abort_handle())
}

struct Listener {
    server: Arc<PgConnectOptions>,
    ear: Arc<Ear>,
    /// Rings after a commit of this node.
    bell: Arc<Notify>,
    observer: Arc<dyn LinkObserver>,
}

/// A connection for announcements, and its position in the outbox.
struct Line {
    connection: PgListener,
    outbox: Outbox,
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

    async fn connect(&self) -> Result<Line, Lost> {
        let connecting = async {
            // A listener takes its connection from a pool. This pool has only that connection.
            let pool = PgPoolOptions::new().max_connections(1).max_lifetime(None);
            let pool = pool.connect_with(self.server.as_ref().clone()).await?;
            let mut connection = PgListener::connect_with(&pool).await?;
            connection.eager_reconnect(false);
            connection.listen(CHANNEL).await?;
            outbox::limit_session(connection.acquire().await?).await?;
            let outbox = Outbox::open(connection.acquire().await?).await?;
            Ok(Line { connection, outbox })
        };
        within(START, "accept a listener", connecting).await
    }

    async fn listen(&self, mut line: Line) -> Lost {
        loop {
            if let Err(lost) = self.listen_once(&mut line).await {
                return lost;
            }
            sleep(PAUSE).await;
        }
    }

    /// Waits for a bell or for the interval to end, then reads the outbox.
    async fn listen_once(&self, line: &mut Line) -> Result<(), Lost> {
        let must_ring = tokio::select! {
            () = self.bell.notified() => true,
            heard = timeout(INTERVAL, line.connection.try_recv()) => match heard {
                Ok(heard) => heard?.map(|_| false).ok_or(Lost::Closed)?,
                Err(_) => false,
            },
        };
        if must_ring {
            within(ANSWER, "ring", line.connection.execute(RING)).await?;
        }
        // One read answers all bells so far.
        while line.connection.next_buffered().is_some() {}
        let Line { connection, outbox } = line;
        let reading = async {
            let connection = connection.acquire().await?;
            let news = outbox.read(connection).await?;
            Ok((news, connection))
        };
        let (news, connection) = within(ANSWER, "answer", reading).await?;
        self.pass_on(&news);
        within(ANSWER, "delete old announcements", outbox.clean(connection)).await
    }

    fn pass_on(&self, news: &News) {
        let News::Messages(messages) = news else {
            return self.ear.open_anew();
        };
        for message in messages {
            match Announcement::parse(message) {
                Announcement::Links(changes) => {
                    for change in &changes {
                        self.observer.changed(change);
                    }
                }
                Announcement::Tokens => self.ear.tokens_changed(),
                Announcement::Domains => self.ear.domains_changed(),
                Announcement::Everything => self.ear.open_anew(),
            }
        }
    }
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
