//! An open database of either kind.

use std::{future::Future, sync::Arc, time::Instant};

use slugline_domain::{
    FollowedLink,
    measure::{Histogram, TRACES, Timings},
    ports::{Hearing, Insertion, LinkObserver, Taking},
};
use tracing::{Instrument, Span, info_span};

#[cfg(feature = "postgres")]
use crate::postgres::Postgres;
#[cfg(feature = "sqlite")]
use crate::sqlite::{Sqlite, SqliteFile};
use crate::{
    database_url::DatabaseUrl,
    failure::Failure,
    links::{find::FollowLink, insert::InsertLink, take_visit::TakeVisit},
    listening::Listening,
    opening::{ConnectError, refused},
    session::{Mutation, Read},
};

/// An open database of links.
#[derive(Clone, Debug)]
pub struct Database {
    engine: Engine,
    clocked: Arc<Clocked>,
}

#[derive(Debug, Default)]
struct Clocked {
    finds: Histogram,
    reads: Histogram,
    changes: Histogram,
}

/// The time that the database took, failures included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreTimings {
    /// The time to find one link by its slug, or one token.
    pub finds: Timings,
    /// The time of every other read: lists, searches, counts.
    pub reads: Timings,
    /// The time to make a change durable, including its wait for the writer.
    pub changes: Timings,
}

#[derive(Clone, Debug)]
enum Engine {
    #[cfg(feature = "sqlite")]
    Sqlite(Sqlite),
    #[cfg(feature = "postgres")]
    Postgres(Postgres),
}

impl Database {
    /// Opens a database and creates a missing file. Its schema may be behind, or missing:
    /// [`SqlLinkStore::open`](crate::SqlLinkStore::open) looks after that.
    ///
    /// # Errors
    /// The database refused.
    pub async fn open(url: &DatabaseUrl) -> Result<Self, ConnectError> {
        let engine = match url {
            #[cfg(feature = "sqlite")]
            DatabaseUrl::File(path) => {
                let file = SqliteFile::new(path);
                // The first statements may wait for another process.
                let opening = tokio::task::spawn_blocking(|| Sqlite::open(file));
                let opened = opening.await.map_err(|error| refused(&error))?;
                Engine::Sqlite(opened.map_err(|error| refused(&error))?)
            }
            #[cfg(feature = "postgres")]
            DatabaseUrl::Postgres(url) => {
                let opened = Postgres::connect(url).await;
                Engine::Postgres(opened.map_err(|error| refused(&error))?)
            }
            #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
            other => return Err(ConnectError::not_built(other)),
        };
        Ok(Self {
            engine,
            clocked: Arc::default(),
        })
    }

    #[cfg_attr(
        not(feature = "sqlite"),
        expect(
            clippy::unnecessary_wraps,
            reason = "on SQLite there is nothing to listen to"
        )
    )]
    pub(crate) fn listen(&self, observer: Arc<dyn LinkObserver>) -> Option<Listening> {
        match &self.engine {
            #[cfg(feature = "sqlite")]
            Engine::Sqlite(_) => {
                drop(observer);
                None
            }
            #[cfg(feature = "postgres")]
            Engine::Postgres(server) => Some(server.listen(observer)),
        }
    }

    /// Inserts a link. On PostgreSQL it shares a statement with others, on SQLite a commit.
    pub(crate) async fn insert(&self, insert: InsertLink) -> Result<Insertion, Failure> {
        let span = info_span!(target: TRACES, "links: change", otel.kind = "client");
        let work = async {
            match &self.engine {
                #[cfg(feature = "sqlite")]
                Engine::Sqlite(file) => file.change(insert).await,
                #[cfg(feature = "postgres")]
                Engine::Postgres(server) => server.insert(insert).await,
            }
        };
        observed(&self.clocked.changes, span, work).await
    }

    pub(crate) async fn change<C: Mutation>(&self, change: C) -> Result<C::Answer, Failure> {
        let span = info_span!(target: TRACES, "links: change", otel.kind = "client");
        let work = async {
            match &self.engine {
                #[cfg(feature = "sqlite")]
                Engine::Sqlite(file) => file.change(change).await,
                #[cfg(feature = "postgres")]
                Engine::Postgres(server) => server.change(&change).await,
            }
        };
        observed(&self.clocked.changes, span, work).await
    }

    /// Counts a visit. On PostgreSQL it is a statement of its own, on SQLite it shares a commit.
    pub(crate) async fn take_visit(&self, take: TakeVisit) -> Result<Taking, Failure> {
        let span = info_span!(target: TRACES, "links: change", otel.kind = "client");
        let work = async {
            match &self.engine {
                #[cfg(feature = "sqlite")]
                Engine::Sqlite(file) => file.change(take).await,
                #[cfg(feature = "postgres")]
                Engine::Postgres(server) => server.take_visit(&take).await,
            }
        };
        observed(&self.clocked.changes, span, work).await
    }

    pub(crate) async fn read<R: Read>(&self, read: R) -> Result<R::Answer, Failure> {
        let span = info_span!(target: TRACES, "links: read", otel.kind = "client");
        let work = async {
            match &self.engine {
                #[cfg(feature = "sqlite")]
                Engine::Sqlite(file) => file.read(read).await,
                #[cfg(feature = "postgres")]
                Engine::Postgres(server) => server.read(&read).await,
            }
        };
        observed(&self.clocked.reads, span, work).await
    }

    /// Reads like [`Database::read`], for a single statement that finds one row
    /// by an index.
    pub(crate) async fn read_at_once<R: Read>(&self, read: R) -> Result<R::Answer, Failure> {
        let span = info_span!(target: TRACES, "links: find", otel.kind = "client");
        let work = async {
            match &self.engine {
                #[cfg(feature = "sqlite")]
                Engine::Sqlite(file) => file.read_at_once(&read),
                #[cfg(feature = "postgres")]
                Engine::Postgres(server) => server.read(&read).await,
            }
        };
        observed(&self.clocked.finds, span, work).await
    }

    /// Finds what a redirect needs of a link. On PostgreSQL it shares a statement with others.
    pub(crate) async fn follow(&self, follow: FollowLink) -> Result<Option<FollowedLink>, Failure> {
        let span = info_span!(target: TRACES, "links: find", otel.kind = "client");
        let work = async {
            match &self.engine {
                #[cfg(feature = "sqlite")]
                Engine::Sqlite(file) => file.read_at_once(&follow),
                #[cfg(feature = "postgres")]
                Engine::Postgres(server) => server.follow(follow.key).await,
            }
        };
        observed(&self.clocked.finds, span, work).await
    }

    pub(crate) fn timings(&self) -> StoreTimings {
        StoreTimings {
            finds: self.clocked.finds.get(),
            reads: self.clocked.reads.get(),
            changes: self.clocked.changes.get(),
        }
    }

    #[cfg_attr(
        not(feature = "postgres"),
        expect(clippy::unused_async, reason = "PostgreSQL is waited for")
    )]
    pub(crate) async fn ping(&self) -> Result<(), Failure> {
        match &self.engine {
            #[cfg(feature = "sqlite")]
            Engine::Sqlite(file) => file.ping(),
            #[cfg(feature = "postgres")]
            Engine::Postgres(server) => server.ping().await,
        }
    }

    /// The way in which this process learns of revoked tokens. With SQLite it does not need
    /// to: finding one costs microseconds.
    pub(crate) fn hearing_of_tokens(&self) -> Hearing {
        match &self.engine {
            #[cfg(feature = "sqlite")]
            Engine::Sqlite(_) => Hearing::Deaf,
            #[cfg(feature = "postgres")]
            Engine::Postgres(server) => server.hearing_of_tokens(),
        }
    }

    /// A token may have been revoked by this process.
    pub(crate) fn tokens_changed(&self) {
        match &self.engine {
            #[cfg(feature = "sqlite")]
            Engine::Sqlite(_) => {}
            #[cfg(feature = "postgres")]
            Engine::Postgres(server) => server.tokens_changed(),
        }
    }

    /// The way in which this process learns of changed domains.
    pub(crate) fn hearing_of_domains(&self) -> Hearing {
        match &self.engine {
            #[cfg(feature = "sqlite")]
            Engine::Sqlite(file) => Hearing::Counted(file.unnoticed_changes()),
            #[cfg(feature = "postgres")]
            Engine::Postgres(server) => server.hearing_of_domains(),
        }
    }

    /// This process may have changed a domain.
    pub(crate) fn domains_changed(&self) {
        match &self.engine {
            #[cfg(feature = "sqlite")]
            Engine::Sqlite(_) => {}
            #[cfg(feature = "postgres")]
            Engine::Postgres(server) => server.domains_changed(),
        }
    }

    pub(crate) fn hearing(&self) -> Hearing {
        match &self.engine {
            #[cfg(feature = "sqlite")]
            Engine::Sqlite(file) => Hearing::Counted(file.unnoticed_changes()),
            #[cfg(feature = "postgres")]
            Engine::Postgres(server) => server.hearing(),
        }
    }
}

/// Does the work inside the span, and counts the time it took.
async fn observed<T>(took: &Histogram, span: Span, work: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let done = work.instrument(span).await;
    took.observe(begun.elapsed());
    done
}
