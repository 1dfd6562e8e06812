//! An open database of either kind.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use sea_orm::QueryTrait;
use slugline_domain::{
    FollowedLink, LinkKey,
    measure::{Histogram, TRACES, Timings},
    ports::{Hearing, Insertion, LinkObserver, StoreError, Taking},
};
use tracing::{Instrument, Span, info_span};

#[cfg(feature = "sqlite")]
use crate::links::find;
#[cfg(feature = "postgres")]
use crate::postgres::Postgres;
#[cfg(feature = "sqlite")]
use crate::sqlite::{Sqlite, SqliteFile};
use crate::{
    database_url::DatabaseUrl,
    failure::{Failure, failing_to},
    links::{change::TakeVisit, insert::InsertLink},
    listening::{Listening, Subject},
    opening::{ConnectError, refused},
    row::Row,
    session::{Applied::Commit, Change, Read, Seen, by_engine},
};

/// An open database of links.
#[derive(Clone, Debug)]
pub struct Database {
    engine: Engine,
    clocked: Arc<Clocked>,
}

#[derive(Debug, Default)]
struct Clocked {
    finds: Took,
    reads: Took,
    changes: Took,
}

/// The time that work of one kind took, and whether the last one failed.
#[derive(Debug, Default)]
struct Took {
    times: Histogram,
    failed: AtomicBool,
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
        by_engine! { Engine, &self.engine,
            _ => {
                drop(observer);
                None
            },
            server => Some(server.listen(observer)),
        }
    }

    /// Inserts a link. On PostgreSQL it shares a statement with others, on SQLite a commit.
    pub(crate) async fn insert(&self, insert: InsertLink) -> Result<Insertion, StoreError> {
        let work = async {
            by_engine! { Engine, &self.engine,
                file => {
                    let seen = Seen::ByCaches;
                    file.writer.change(async move |session| insert.apply(session).await, seen).await
                },
                server => server.insert(insert).await,
            }
        };
        observed(&self.clocked.changes, change_span(), "insert a link", work).await
    }

    /// Counts a visit. On PostgreSQL it is a statement of its own, on SQLite it shares a commit.
    pub(crate) async fn take_visit(&self, take: TakeVisit) -> Result<Taking, StoreError> {
        let work = async {
            by_engine! { Engine, &self.engine,
                file => {
                    let change = file.writer.change(
                        async move |session| Ok(Commit(take.taking(session).await?)),
                        Seen::ByNone,
                    );
                    change.await
                },
                server => server.take_visit(take).await,
            }
        };
        observed(&self.clocked.changes, change_span(), "count a visit", work).await
    }

    /// Makes a change that caches may have to notice.
    pub(crate) async fn change<T: Send + 'static>(
        &self,
        action: &'static str,
        change: impl Change<T>,
    ) -> Result<T, StoreError> {
        self.apply(action, Seen::ByCaches, change).await
    }

    /// Makes a change of what no cache holds.
    pub(crate) async fn change_uncached<T: Send + 'static>(
        &self,
        action: &'static str,
        change: impl Change<T>,
    ) -> Result<T, StoreError> {
        self.apply(action, Seen::ByNone, change).await
    }

    /// Makes a change of one statement. Returns the number of rows that it changed.
    pub(crate) async fn execute(
        &self,
        action: &'static str,
        statement: impl QueryTrait + Send + Sync + 'static,
    ) -> Result<u64, StoreError> {
        self.change(action, async move |session| {
            Ok(Commit(session.execute(&statement).await?))
        })
        .await
    }

    #[cfg_attr(
        not(feature = "sqlite"),
        expect(unused_variables, reason = "PostgreSQL tells nodes by triggers")
    )]
    async fn apply<T: Send + 'static>(
        &self,
        action: &'static str,
        seen: Seen,
        change: impl Change<T>,
    ) -> Result<T, StoreError> {
        let work = async {
            by_engine! { Engine, &self.engine,
                file => file.writer.change(change, seen).await,
                server => server.change(&change).await,
            }
        };
        observed(&self.clocked.changes, change_span(), action, work).await
    }

    pub(crate) async fn read<T: Send + 'static>(
        &self,
        action: &'static str,
        read: impl Read<T>,
    ) -> Result<T, StoreError> {
        let work = async {
            by_engine! { Engine, &self.engine,
                file => file.readers.read(read).await,
                server => server.read(&read).await,
            }
        };
        let span = info_span!(target: TRACES, "links: read", otel.kind = "client");
        observed(&self.clocked.reads, span, action, work).await
    }

    /// Reads the rows of one statement.
    pub(crate) async fn rows<R: Row + Send + 'static>(
        &self,
        action: &'static str,
        select: impl QueryTrait + Send + Sync + 'static,
    ) -> Result<Vec<R>, StoreError> {
        self.read(action, async move |session| session.all(&select).await)
            .await
    }

    /// Reads the first row of one statement.
    pub(crate) async fn first<R: Row + Send + 'static>(
        &self,
        action: &'static str,
        select: impl QueryTrait + Send + Sync + 'static,
    ) -> Result<Option<R>, StoreError> {
        self.read(action, async move |session| session.first(&select).await)
            .await
    }

    /// Reads like [`Database::read`], for a single statement that finds one row
    /// by an index.
    pub(crate) async fn read_at_once<T>(
        &self,
        action: &'static str,
        read: impl Read<T>,
    ) -> Result<T, StoreError> {
        let work = async {
            by_engine! { Engine, &self.engine,
                file => file.readers.read_at_once(&read),
                server => server.read(&read).await,
            }
        };
        observed(&self.clocked.finds, find_span(), action, work).await
    }

    /// Finds what a redirect needs of a link. On PostgreSQL it shares a statement with others.
    pub(crate) async fn follow(&self, key: &LinkKey) -> Result<Option<FollowedLink>, StoreError> {
        let work = async {
            let key = key.clone();
            by_engine! { Engine, &self.engine,
                file => file.readers.read_at_once(&async move |session| {
                    find::followed(session, &key).await
                }),
                server => server.follow(key).await,
            }
        };
        observed(&self.clocked.finds, find_span(), "find a link", work).await
    }

    pub(crate) fn last_change_failed(&self) -> bool {
        self.clocked.changes.failed.load(Ordering::Relaxed)
    }

    pub(crate) fn timings(&self) -> StoreTimings {
        StoreTimings {
            finds: self.clocked.finds.times.get(),
            reads: self.clocked.reads.times.get(),
            changes: self.clocked.changes.times.get(),
        }
    }

    #[cfg_attr(
        not(feature = "postgres"),
        expect(clippy::unused_async, reason = "PostgreSQL is waited for")
    )]
    pub(crate) async fn ping(&self) -> Result<(), StoreError> {
        let answer = by_engine! { Engine, &self.engine,
            file => file.ping(),
            server => server.ping().await,
        };
        answer.map_err(failing_to("answer"))
    }

    /// The way in which this process learns of changes by others. With SQLite it need not learn of
    /// tokens: finding one costs microseconds.
    pub(crate) fn hearing_of(&self, subject: Subject) -> Hearing {
        by_engine! { Engine, &self.engine,
            file => match subject {
                Subject::Tokens => Hearing::Deaf,
                Subject::Links | Subject::Domains => {
                    Hearing::Counted(file.writer.unnoticed_changes())
                }
            },
            server => server.ear.hearing_of(subject),
        }
    }

    /// This process may have changed one of these.
    pub(crate) fn changed(&self, subject: Subject) {
        by_engine! { Engine, &self.engine,
            // Each process counts what others change.
            _ => {
                let _ = subject;
            },
            server => server.ear.changed(subject),
        }
    }
}

fn change_span() -> Span {
    info_span!(target: TRACES, "links: change", otel.kind = "client")
}

fn find_span() -> Span {
    info_span!(target: TRACES, "links: find", otel.kind = "client")
}

/// Does the work inside the span, counts the time it took, and names the action if it failed.
async fn observed<T>(
    took: &Took,
    span: Span,
    action: &'static str,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, StoreError> {
    let begun = Instant::now();
    let done = work.instrument(span).await;
    took.times.observe(begun.elapsed());
    took.failed.store(done.is_err(), Ordering::Relaxed);
    done.map_err(failing_to(action))
}
