//! The table in which triggers record announcements; `migrations` makes it.
//!
//! Transactions do not commit in the order in which they write. So a position is a snapshot of
//! PostgreSQL, which names the transactions that it does not see, and the messages after it are
//! exactly those of these transactions, once they are committed.

use std::time::Duration;

use sqlx::{PgConnection, Row};
use tokio::time::Instant;

/// The maximum number of messages that one read returns.
const MAX_MESSAGES: usize = 10_000;

/// The time for which messages are kept at least after their transaction ended. It is far above
/// the idle time of [`limit_session`]: a session that missed messages has ended before they are
/// deleted.
const KEPT: Duration = Duration::from_mins(1);

/// The maximum number of messages that one statement deletes.
const DELETED_AT_ONCE: u64 = 10_000;

/// The reader's position in the table.
#[derive(Debug)]
pub(super) struct Outbox {
    /// The snapshot of the last read.
    position: String,
    cleaning: Cleaning,
}

/// The messages since the last read, in the order in which changes of a link happened.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum News {
    Messages(Vec<String>),
    /// More than a reader should take one by one.
    TooMany,
}

/// Decides which messages every reader has seen.
#[derive(Debug)]
struct Cleaning {
    /// A snapshot, and the moment after which it is old enough to delete what it sees.
    next: (String, Instant),
    /// The snapshot whose messages are being deleted.
    current: Option<String>,
}

/// Makes the server end this session if it does not read for ten seconds, because its process
/// is suspended or cut off. Without the setting, which PostgreSQL 13 lacks, a process that was
/// suspended for longer than a minute misses changes until its links are read again.
pub(super) async fn limit_session(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    // The table is small when its plan is made, and may grow.
    let settings = "SELECT set_config(name, value, false) \
                    FROM pg_settings JOIN (VALUES ('idle_session_timeout', '10s'), \
                    ('enable_seqscan', 'off')) AS ours (name, value) USING (name)";
    sqlx::query(settings).execute(connection).await.map(drop)
}

impl Outbox {
    /// Starts after all messages so far.
    pub(super) async fn open(connection: &mut PgConnection) -> Result<Self, sqlx::Error> {
        let snapshot = "SELECT pg_current_snapshot()::text";
        let row = sqlx::query(snapshot).fetch_one(connection).await?;
        let position: String = row.try_get(0)?;
        Ok(Self {
            cleaning: Cleaning {
                next: (position.clone(), Instant::now()),
                current: None,
            },
            position,
        })
    }

    /// Reads the messages of all transactions that were committed since the last read.
    pub(super) async fn read(
        &mut self,
        connection: &mut PgConnection,
    ) -> Result<News, sqlx::Error> {
        // A table that was restored from another server has transactions of the future.
        const READ: &str = "
            SELECT pg_current_snapshot()::text, ARRAY(
                SELECT message FROM (
                    SELECT number, message FROM link_announcements
                    WHERE changed_in < pg_snapshot_xmax(pg_current_snapshot())
                    AND (
                        changed_in >= pg_snapshot_xmax($1::text::pg_snapshot)
                        OR changed_in = ANY (ARRAY(
                            SELECT pg_snapshot_xip($1::text::pg_snapshot)
                        ))
                    )
                    LIMIT $2
                ) AS found ORDER BY number
            )";
        let limit = i64::try_from(MAX_MESSAGES + 1).unwrap_or(i64::MAX);
        let read = sqlx::query(READ).bind(&self.position).bind(limit);
        let row = read.fetch_one(connection).await?;
        let messages: Vec<String> = row.try_get(1)?;
        self.position = row.try_get(0)?;
        Ok(if messages.len() > MAX_MESSAGES {
            News::TooMany
        } else {
            News::Messages(messages)
        })
    }

    /// Deletes some messages that every reader has seen, if there are any.
    pub(super) async fn clean(&mut self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let Some(seen) = self.cleaning.due(&self.position, Instant::now()) else {
            return Ok(());
        };
        if delete_seen(connection, seen).await? < DELETED_AT_ONCE {
            self.cleaning.current = None;
        }
        Ok(())
    }
}

impl Cleaning {
    /// The snapshot whose messages are to be deleted now.
    fn due(&mut self, position: &str, now: Instant) -> Option<&str> {
        if now.duration_since(self.next.1) >= KEPT {
            let next = (position.to_owned(), now);
            self.current = Some(std::mem::replace(&mut self.next, next).0);
        }
        self.current.as_deref()
    }
}

/// Deletes messages of transactions that had all ended at a snapshot. Returns their number.
async fn delete_seen(connection: &mut PgConnection, snapshot: &str) -> Result<u64, sqlx::Error> {
    // Nodes that do this at the same time skip each other's rows.
    const DELETE: &str = "
        DELETE FROM link_announcements WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM link_announcements
            WHERE changed_in < pg_snapshot_xmin($1::text::pg_snapshot)
            OR changed_in >= pg_snapshot_xmax(pg_current_snapshot())
            LIMIT $2
            FOR UPDATE SKIP LOCKED
        ))";
    let limit = i64::try_from(DELETED_AT_ONCE).unwrap_or(i64::MAX);
    let deleted = sqlx::query(DELETE).bind(snapshot).bind(limit);
    Ok(deleted.execute(connection).await?.rows_affected())
}

#[cfg(test)]
mod tests {
    use sqlx::Connection;

    use super::*;

    /// A session with a table of its own in place of the real one.
    #[expect(
        clippy::disallowed_methods,
        reason = "the test command hands the server over this way"
    )]
    async fn session() -> PgConnection {
        let url = std::env::var("SLUGLINE_TEST_POSTGRES_URL").expect(
            "SLUGLINE_TEST_POSTGRES_URL names a PostgreSQL server; `cargo xtask test` starts one",
        );
        let mut session = PgConnection::connect(&url).await.unwrap();
        let table = "CREATE TEMPORARY TABLE link_announcements (
            number bigint GENERATED ALWAYS AS IDENTITY,
            changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(), message text NOT NULL)";
        sqlx::query(table).execute(&mut session).await.unwrap();
        session
    }

    async fn announce(session: &mut PgConnection, message: &str) {
        let insert = "INSERT INTO link_announcements (message) VALUES ($1)";
        let insert = sqlx::query(insert).bind(message);
        insert.execute(session).await.unwrap();
    }

    #[tokio::test]
    async fn each_message_is_read_once() {
        let mut session = session().await;
        announce(&mut session, "before").await;
        let mut outbox = Outbox::open(&mut session).await.unwrap();
        let mut read = async |session: &mut PgConnection| outbox.read(session).await.unwrap();
        assert_eq!(read(&mut session).await, News::Messages(vec![]));
        for message in ["b", "a"] {
            announce(&mut session, message).await;
        }
        let both = News::Messages(vec!["b".to_owned(), "a".to_owned()]);
        assert_eq!(
            read(&mut session).await,
            both,
            "in the order of the changes"
        );
        assert_eq!(read(&mut session).await, News::Messages(vec![]));
        let many = "INSERT INTO link_announcements (message) \
                    SELECT 'x' FROM generate_series(1, 10001)";
        sqlx::query(many).execute(&mut session).await.unwrap();
        assert_eq!(read(&mut session).await, News::TooMany);
        assert_eq!(read(&mut session).await, News::Messages(vec![]));
    }

    #[tokio::test]
    async fn only_what_every_reader_has_seen_is_deleted() {
        let mut session = session().await;
        announce(&mut session, "seen").await;
        let restored = "INSERT INTO link_announcements (changed_in, message) \
                        VALUES ('18000000000000000000', 'of another server')";
        sqlx::query(restored).execute(&mut session).await.unwrap();
        // Transactions of other tests may keep a snapshot from being late enough.
        let late = "SELECT pg_current_snapshot()::text WHERE pg_snapshot_xmin(\
                    pg_current_snapshot()) > (SELECT min(changed_in) FROM link_announcements)";
        let snapshot: String = loop {
            let found = sqlx::query(late).fetch_optional(&mut session).await;
            if let Some(row) = found.unwrap() {
                break row.try_get(0).unwrap();
            }
        };
        announce(&mut session, "new").await;
        delete_seen(&mut session, &snapshot).await.unwrap();
        let left = "SELECT string_agg(message, ' ') FROM link_announcements";
        let left = sqlx::query(left).fetch_one(&mut session).await.unwrap();
        assert_eq!(left.try_get::<String, _>(0).unwrap(), "new");
    }

    #[test]
    fn a_snapshot_is_used_when_every_reader_has_read_after_it() {
        let begun = Instant::now();
        let mut cleaning = Cleaning {
            next: ("first".to_owned(), begun),
            current: None,
        };
        assert_eq!(cleaning.due("second", begun + KEPT / 2), None);
        assert_eq!(cleaning.due("third", begun + KEPT), Some("first"));
        assert_eq!(cleaning.due("fourth", begun + KEPT * 2), Some("third"));
    }
}
