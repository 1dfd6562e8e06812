//! Learns of changes to links by any node, from PostgreSQL.
//!
//! Triggers record each change in the outbox. After a commit a node rings a bell (`NOTIFY` in a
//! transaction of its own), and every node reads the outbox. Nodes also read it at a short
//! interval, because `psql` and a node that dies after a commit do not ring.
//!
//! A listener that lost its connection may have missed changes. So it is deaf from the moment
//! it notices until it reads again, and then all earlier reads count as outdated.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use slugline_domain::{
    LinkKey, Revision,
    ports::{Hearing, LinkChange, LinkObserver},
};
use sqlx::{
    Acquire, Executor,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions},
};
use thiserror::Error;
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};

use super::outbox::{self, News, Outbox};
use crate::listening::{Listening, Subject};

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
                Announcement::Tokens => self.ear.changed(Subject::Tokens),
                Announcement::Domains => self.ear.changed(Subject::Domains),
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

/// Tells whether the listener hears announcements. One listener sets it, and every redirect
/// reads it.
#[derive(Debug, Default)]
pub(crate) struct Ear {
    /// 0 while deaf; else the number of times that the listener may have missed announcements.
    open: AtomicU64,
    missed: AtomicU64,
    /// The number of times that tokens may have been revoked.
    tokens: AtomicU64,
    /// The number of times that domains may have changed.
    domains: AtomicU64,
}

impl Ear {
    /// The state of announcements about a subject. All numbers only grow, so their sum stays the
    /// same only while they do.
    pub(crate) fn hearing_of(&self, subject: Subject) -> Hearing {
        match self.open.load(Ordering::Acquire) {
            0 => Hearing::Deaf,
            missed => {
                let changes = self.changes_of(subject);
                let changes = changes.map_or(0, |changes| changes.load(Ordering::Acquire));
                Hearing::Announced(missed + changes)
            }
        }
    }

    /// One of these may have changed.
    pub(crate) fn changed(&self, subject: Subject) {
        if let Some(changes) = self.changes_of(subject) {
            changes.fetch_add(1, Ordering::Release);
        }
    }

    /// The number of changes; `None` of links, because each is announced by its key.
    fn changes_of(&self, subject: Subject) -> Option<&AtomicU64> {
        match subject {
            Subject::Links => None,
            Subject::Tokens => Some(&self.tokens),
            Subject::Domains => Some(&self.domains),
        }
    }

    /// The listener hears announcements from now on. It may have missed earlier ones, or one
    /// said that everything may have changed.
    pub(super) fn open_anew(&self) {
        let missed = self.missed.fetch_add(1, Ordering::Relaxed) + 1;
        self.open.store(missed, Ordering::Release);
    }

    pub(super) fn close(&self) {
        self.open.store(0, Ordering::Release);
    }
}

/// A message in the outbox; the triggers that write it are in `migrations`.
#[derive(Debug, PartialEq, Eq)]
enum Announcement {
    /// These links changed.
    Links(Vec<LinkChange>),
    /// Tokens changed.
    Tokens,
    /// Domains changed.
    Domains,
    /// Any link may have changed.
    Everything,
}

impl Announcement {
    /// Parses a message: `_tokens`, `_domains`, or a line for each change, with the text of a key and, after a blank, the
    /// number of the version. A line that does not parse, such as one of a later version, means that
    /// every link may have changed.
    fn parse(message: &str) -> Self {
        // No key begins like this.
        match message {
            "_tokens" => return Self::Tokens,
            "_domains" => return Self::Domains,
            _ => {}
        }
        let changes: Option<Vec<LinkChange>> = message.lines().map(change).collect();
        changes.map_or(Self::Everything, Self::Links)
    }
}

fn change(line: &str) -> Option<LinkChange> {
    let (key, revision) = match line.split_once(' ') {
        Some((key, number)) => (key, Some(Revision::new(number.parse().ok()?))),
        None => (line, None),
    };
    let key = LinkKey::parse(key).ok()?;
    Some(LinkChange { key, revision })
}

#[cfg(test)]
mod tests {
    use slugline_testkit::key;

    use super::*;

    fn changed(text: &str, revision: Option<i64>) -> LinkChange {
        LinkChange {
            key: key(text),
            revision: revision.map(Revision::new),
        }
    }

    #[test]
    fn a_message_names_keys_and_their_versions() {
        assert_eq!(
            Announcement::parse("docs\ngo.example/docs 3\nOther-One 12"),
            Announcement::Links(vec![
                changed("docs", None),
                changed("go.example/docs", Some(3)),
                changed("Other-One", Some(12)),
            ])
        );
    }

    #[test]
    fn a_message_about_tokens_names_no_link() {
        assert_eq!(Announcement::parse("_tokens"), Announcement::Tokens);
        assert_eq!(
            Announcement::parse("tokens"),
            Announcement::Links(vec![changed("tokens", None)])
        );
    }

    #[test]
    fn what_cannot_be_read_stands_for_everything() {
        for message in ["*", "docs\n*", "docs x", "docs 1 2", "docs\n\nother", " "] {
            let read = Announcement::parse(message);
            assert_eq!(read, Announcement::Everything, "{message:?}");
        }
    }

    #[test]
    fn each_time_it_opens_it_hears_in_another_way() {
        let ear = Ear::default();
        let mut heard = vec![ear.hearing_of(Subject::Links)];
        ear.open_anew();
        heard.push(ear.hearing_of(Subject::Links));
        ear.open_anew();
        heard.push(ear.hearing_of(Subject::Links));
        ear.close();
        assert_eq!(ear.hearing_of(Subject::Links), Hearing::Deaf);
        ear.open_anew();
        heard.push(ear.hearing_of(Subject::Links));
        let expected = [
            Hearing::Deaf,
            Hearing::Announced(1),
            Hearing::Announced(2),
            Hearing::Announced(3),
        ];
        assert_eq!(heard, expected);
    }

    #[test]
    fn a_revoked_token_changes_only_how_tokens_are_heard_of() {
        let ear = Ear::default();
        ear.changed(Subject::Tokens);
        assert_eq!(ear.hearing_of(Subject::Tokens), Hearing::Deaf);
        ear.open_anew();
        let (links, tokens) = (
            ear.hearing_of(Subject::Links),
            ear.hearing_of(Subject::Tokens),
        );
        ear.changed(Subject::Tokens);
        assert_eq!(ear.hearing_of(Subject::Links), links);
        assert_ne!(ear.hearing_of(Subject::Tokens), tokens);
        let tokens = ear.hearing_of(Subject::Tokens);
        ear.close();
        ear.open_anew();
        assert_ne!(ear.hearing_of(Subject::Tokens), tokens);
    }
}
