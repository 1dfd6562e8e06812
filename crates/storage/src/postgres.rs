//! PostgreSQL, through sea-orm.
//!
//! | module | holds |
//! |---|---|
//! | `follows` | statements that followed slugs share |
//! | `inserts` | statements that new links share |
//! | `listener` | the connection for announcements, their format, and whether they are heard |
//! | `outbox` | the table of announcements |
//! | `liveness` | detection of dead connections |
//! | `reads` | reads, repeated if a connection was closed |
//! | `shared` | requests that share a statement |
//! | `statements` | statements of a pool or a transaction, and connections that were closed |

mod follows;
mod inserts;
mod listener;
mod liveness;
mod outbox;
mod reads;
mod shared;
pub(crate) mod statements;

use std::{sync::Arc, time::Duration};

use sea_orm::{
    ConnAcquireErr, ConnectOptions, DatabaseConnection, DatabaseTransaction, DbErr, RuntimeErr,
    TransactionTrait,
};
use slugline_domain::{
    FollowedLink, LinkKey,
    ports::{Insertion, LinkObserver, Taking},
};
use sqlx::{Connection, Executor, PgConnection, postgres::PgPoolOptions};
use tokio::sync::{Notify, Semaphore};

use self::{
    follows::Follows,
    inserts::{Inserts, NewLink, Told},
    listener::Ear,
    reads::MAX_CONNECTIONS,
    statements::{STEP, Statements, answered, was_cut},
};
use crate::{
    entity::link,
    failure::Failure,
    links::{change::TakeVisit, insert::InsertLink},
    listening::Listening,
    session::{Applied, Change, Read, Session},
};

/// Connections to a PostgreSQL server.
#[derive(Clone, Debug)]
pub(crate) struct Postgres {
    pool: DatabaseConnection,
    /// Tells what this process hears of.
    pub(crate) ear: Arc<Ear>,
    /// Tells the listener to tell all nodes that a change was committed.
    bell: Arc<Notify>,
    inserts: Arc<Inserts>,
    follows: Arc<Follows>,
    visits: Arc<Semaphore>,
}

impl Postgres {
    /// Opens the pool of a `postgres://…` URL. Statements may take ten seconds:
    /// a longer one would keep a connection from the others.
    pub(crate) async fn connect(url: &str) -> Result<Self, DbErr> {
        let mut options = pool_options(url);
        options.map_sqlx_postgres_pool_opts(limited);
        Self::open(url, options).await
    }

    /// Opens the pool for schema steps, which have no time limit.
    pub(crate) async fn connect_for_schema(url: &str) -> Result<Self, DbErr> {
        Self::open(url, pool_options(url)).await
    }

    async fn open(url: &str, options: ConnectOptions) -> Result<Self, DbErr> {
        // The pool keeps trying to reach a missing server and then reports only
        // that time ran out. A single connection reports the reason.
        let attempt = PgConnection::connect(url).await;
        attempt
            .map_err(|error| DbErr::Conn(RuntimeErr::SqlxError(error.into())))?
            .close()
            .await
            .ok();
        let pool = sea_orm::Database::connect(options).await?;
        Ok(Self {
            pool,
            ear: Arc::default(),
            bell: Arc::default(),
            inserts: Arc::new(inserts::inserts()),
            follows: Arc::new(follows::follows()),
            visits: Arc::new(Semaphore::new(VISITS)),
        })
    }

    /// Reports changes by any node to an observer, and tells other nodes of changes by this one,
    /// from soon after the call until the value is dropped.
    pub(crate) fn listen(&self, observer: Arc<dyn LinkObserver>) -> Listening {
        let server = self.pool.get_postgres_connection_pool().connect_options();
        let (ear, bell) = (Arc::clone(&self.ear), Arc::clone(&self.bell));
        listener::start(server, ear, bell, observer)
    }

    pub(crate) async fn ping(&self) -> Result<(), Failure> {
        Ok(answered(PING, self.pool.ping()).await??)
    }

    pub(crate) fn pool(&self) -> &DatabaseConnection {
        &self.pool
    }

    /// Reads, and reads again if the server had closed the connection.
    pub(crate) async fn read<T>(&self, read: &impl Read<T>) -> Result<T, Failure> {
        reads::read(&self.pool, read).await
    }

    /// Finds what a redirect needs of a link, in a statement that it shares with others.
    pub(crate) async fn follow(&self, key: LinkKey) -> Result<Option<FollowedLink>, Failure> {
        let serve = |lane| follows::serve(lane, self.pool.clone());
        let row = match self.follows.ask(key, serve).await {
            Some(row) => row.map_err(Failure::OfShared)?,
            None => return Err(Failure::ReaderEnded),
        };
        Ok(row.map(link::to_link).transpose()?.map(FollowedLink::from))
    }

    /// Inserts a link, in a statement that it shares if it can.
    pub(crate) async fn insert(&self, mut insert: InsertLink) -> Result<Insertion, Failure> {
        if insert.link.request.is_some() {
            // The shared statement does not look into the trash.
            return self.insert_alone(insert).await;
        }
        let new = NewLink {
            link: insert.link.clone(),
            note: insert.note.clone(),
        };
        let told = self.inserts.ask(new, |lane| {
            let (pool, bell) = (self.pool.clone(), Arc::clone(&self.bell));
            inserts::serve(lane, pool, move || bell.notify_one())
        });
        match told.await {
            Some(Told::Stored) => return Ok(Insertion::Stored),
            Some(Told::Left) => {}
            Some(Told::Silent) => return Err(Failure::Silent(STEP)),
            Some(Told::NoConnection) => {
                let error = DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
                return Err(error.into());
            }
            // Without an answer the task has ended with its runtime.
            Some(Told::Unknown) | None => insert.may_be_stored = true,
        }
        self.insert_alone(insert).await
    }

    async fn insert_alone(&self, insert: InsertLink) -> Result<Insertion, Failure> {
        let insert = async move |session: &Session<'_>| insert.apply(session).await;
        self.change(&insert).await
    }

    /// Applies a change in its own transaction.
    pub(crate) async fn change<T>(&self, change: &impl Change<T>) -> Result<T, Failure> {
        let transaction = self.begin().await?;
        // A failure drops the transaction, which rolls it back.
        let session = Session::Postgres(Statements::Transaction(&transaction));
        match change(&session).await? {
            Applied::Commit(answer) => {
                let committed = answered(STEP, transaction.commit()).await;
                // Also after an error: the server may have committed, and only its answer is
                // lost.
                self.bell.notify_one();
                committed??;
                Ok(answer)
            }
            Applied::Rollback(answer) => {
                answered(STEP, transaction.rollback()).await??;
                Ok(answer)
            }
        }
    }

    /// Applies a change of a single statement, which the server commits by itself and which is
    /// not announced.
    ///
    /// After a cut the change is applied again: the server may have committed the first one.
    pub(crate) async fn take_visit(&self, take: TakeVisit) -> Result<Taking, Failure> {
        let _turn = self.visits.acquire().await;
        let take = async move |session: &Session<'_>| take.taking(session).await;
        reads::read(&self.pool, &take).await
    }

    /// Begins a transaction, on another connection if the server had closed the
    /// first one. Nothing later is retried: a commit may have reached the
    /// server although its answer got lost.
    async fn begin(&self) -> Result<DatabaseTransaction, Failure> {
        for _ in 0..MAX_CONNECTIONS {
            match answered(STEP, self.pool.begin()).await? {
                Err(error) if was_cut(&error) => {}
                begun => return Ok(begun?),
            }
        }
        Ok(answered(STEP, self.pool.begin()).await??)
    }
}

/// The most visits that are counted at a time. Those of one link wait for one another on the
/// server, and the other connections of the pool serve everything else.
const VISITS: usize = 4;

/// The timeout for getting a connection. Waiting longer would only lengthen the queue.
const CONNECTION: Duration = Duration::from_secs(5);

/// The timeout of a health check.
const PING: Duration = Duration::from_secs(3);

fn limited(options: PgPoolOptions) -> PgPoolOptions {
    /// A process that was suspended in a transaction keeps its locks no longer than a statement
    /// may take.
    ///
    /// Nothing is compiled: while the server has no statistics of a table, it takes a page of
    /// links for so much work that it compiles the statement for 0.2 s, and then reads the page in 3 ms.
    ///
    /// Acknowledged changes are on the disk, and on that of a synchronous standby, whatever is the
    /// default of the server, the database or the role; they may ask for more.
    const SETTINGS: &str = "SELECT set_config('synchronous_commit', 'on', false) \
                            WHERE current_setting('synchronous_commit') <> 'remote_apply'; \
                            SET statement_timeout = '10s'; \
                            SET idle_in_transaction_session_timeout = '10s'; \
                            SET jit = off";

    liveness::checked(options).after_connect(|connection, _| {
        // A statement sets them, because connection poolers refuse them as options of the
        // connection.
        let set = connection.execute(SETTINGS);
        Box::pin(async move { set.await.map(drop) })
    })
}

fn pool_options(url: &str) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(MAX_CONNECTIONS)
        .acquire_timeout(CONNECTION)
        .connect_timeout(CONNECTION)
        // A ping before every use would double the round trips. The statement's
        // own error shows that a connection was closed, and another one is used.
        .test_before_acquire(false)
        .sqlx_logging(false);
    options
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use sea_orm::{ConnectionTrait, DbBackend, Statement};

    use super::*;

    #[expect(
        clippy::disallowed_methods,
        reason = "the test command hands the server over this way"
    )]
    fn server() -> String {
        std::env::var("SLUGLINE_TEST_POSTGRES_URL").expect(
            "SLUGLINE_TEST_POSTGRES_URL names a PostgreSQL server; `cargo xtask test` starts one",
        )
    }

    async fn setting(server: &Postgres, name: &str) -> String {
        let question = format!("SHOW {name}");
        let question = Statement::from_string(DbBackend::Postgres, question);
        let row = server.pool().query_one_raw(question).await.unwrap();
        row.unwrap().try_get_by_index(0).unwrap()
    }

    #[rstest]
    #[case("off", "on")]
    #[case("local", "on")]
    #[case("remote_write", "on")]
    #[case("remote_apply", "remote_apply")]
    #[tokio::test]
    async fn an_acknowledged_change_is_on_the_disk(#[case] default: &str, #[case] used: &str) {
        let server = server();
        let joint = if server.contains('?') { '&' } else { '?' };
        let url = format!("{server}{joint}options=-c%20synchronous_commit%3D{default}");
        let links = Postgres::connect(&url).await.unwrap();
        assert_eq!(setting(&links, "synchronous_commit").await, used);
        let schema = Postgres::connect_for_schema(&url).await.unwrap();
        assert_eq!(setting(&schema, "synchronous_commit").await, default);
    }

    #[tokio::test]
    async fn statements_about_links_are_limited_and_not_compiled_and_schema_steps_are_not_limited()
    {
        let url = server();
        let links = Postgres::connect(&url).await.unwrap();
        let schema = Postgres::connect_for_schema(&url).await.unwrap();
        assert_eq!(setting(&links, "statement_timeout").await, "10s");
        assert_eq!(setting(&links, "jit").await, "off");
        assert_eq!(setting(&schema, "statement_timeout").await, "0");
    }
}
