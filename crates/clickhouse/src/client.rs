//! Statements and their answers.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, timeout_at};

use crate::{
    connection::{ClickHouseTarget, ClickHouseWire, WireAnswer, WireBody, WireRequest},
    error::ClickHouseError,
    row_binary::{Cursor, DecodeError, ReadRow},
};

/// The most bytes in a statement. A filter may name thousands of values;
/// ClickHouse's own limit is 256 KiB.
const MAX_QUERY_SIZE: &str = "67108864";

/// The most parts of a statement. ClickHouse's own limit is 50,000, and each
/// value of a filter is one.
const MAX_AST_ELEMENTS: &str = "4000000";

/// The most bytes of an error that are read.
const MAX_ERROR_BYTES: usize = 4_096;

/// The server, the account, and the wire to it.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    target: ClickHouseTarget,
    wire: Arc<dyn ClickHouseWire>,
    /// The time limit of a statement that is neither a question nor a batch of visits.
    pub(crate) timeout: Duration,
    /// The default database for table names; `None` while it may not exist, because naming it
    /// would make every statement fail.
    database: Option<String>,
}

/// A setting of one statement.
pub(crate) type Setting<'s> = (&'s str, &'s str);

/// The settings of each statement that reads.
pub(crate) const OF_A_READ: [Setting<'static>; 4] = [
    ("default_format", "RowBinary"),
    ("max_query_size", MAX_QUERY_SIZE),
    ("max_ast_elements", MAX_AST_ELEMENTS),
    ("max_expanded_ast_elements", MAX_AST_ELEMENTS),
];

/// An answer that has begun cannot turn into an error: ClickHouse finishes before it answers.
const WHOLE: Setting<'static> = ("wait_end_of_query", "1");

impl Client {
    pub(crate) fn new(target: ClickHouseTarget, wire: Arc<dyn ClickHouseWire>) -> Self {
        let database = Some(target.database().to_owned());
        Self {
            timeout: target.timeout,
            target,
            wire,
            database,
        }
    }

    /// A client for statements about no particular database.
    pub(crate) fn outside(&self) -> Self {
        Self {
            database: None,
            ..self.clone()
        }
    }

    pub(crate) fn target(&self) -> &ClickHouseTarget {
        &self.target
    }

    /// Runs a statement that returns no rows.
    pub(crate) async fn run(&self, sql: &str, timeout: Duration) -> Result<(), ClickHouseError> {
        self.all::<()>(sql, &[], timeout, |_| Err(DecodeError::OutOfRange))
            .await
            .map(drop)
    }

    pub(crate) async fn all<T>(
        &self,
        sql: &str,
        settings: &[Setting<'_>],
        timeout: Duration,
        read: ReadRow<T>,
    ) -> Result<Vec<T>, ClickHouseError> {
        let until = Instant::now() + timeout;
        let late = |_| ClickHouseError::Deadline { limit: timeout };
        let mut body = self.select(sql, settings, timeout).await?;
        let mut bytes = Vec::new();
        let whole = async {
            while let Some(more) = body.next().await.map_err(ClickHouseError::Unreachable)? {
                bytes.extend_from_slice(&more);
            }
            Ok::<(), ClickHouseError>(())
        };
        timeout_at(until, whole).await.map_err(late)??;
        let mut cursor = Cursor::new(&bytes);
        let rows = cursor.rows(read)?;
        if cursor.left() > 0 {
            return Err(DecodeError::Short.into());
        }
        Ok(rows)
    }

    /// Inserts rows. ClickHouse stores rows with the same token once, however
    /// often they are sent.
    pub(crate) async fn insert(
        &self,
        into: &str,
        token: &str,
        rows: Vec<u8>,
        timeout: Duration,
    ) -> Result<(), ClickHouseError> {
        let query = format!("INSERT INTO {into} FORMAT RowBinary");
        let settings = [
            ("query", query.as_str()),
            ("insert_deduplicate", "1"),
            ("insert_deduplication_token", token),
            // A batch already holds a second's visits, and ClickHouse does not
            // deduplicate batches that it gathers itself.
            ("async_insert", "0"),
            // A batch of an import may hold visits of any months.
            ("max_partitions_per_insert_block", "0"),
            WHOLE,
        ];
        self.exchange(&settings, rows, timeout).await.map(drop)
    }

    pub(crate) async fn select(
        &self,
        sql: &str,
        settings: &[Setting<'_>],
        timeout: Duration,
    ) -> Result<Box<dyn WireBody>, ClickHouseError> {
        let seconds = timeout.as_secs().max(1).to_string();
        let limits = [("max_execution_time", seconds.as_str()), WHOLE];
        let settings = [&OF_A_READ[..], &limits, settings].concat();
        self.exchange(&settings, sql.as_bytes().to_vec(), timeout)
            .await
    }

    /// Sends one request.
    pub(crate) async fn exchange(
        &self,
        settings: &[Setting<'_>],
        body: Vec<u8>,
        timeout: Duration,
    ) -> Result<Box<dyn WireBody>, ClickHouseError> {
        let until = Instant::now() + timeout;
        let late = |_| ClickHouseError::Deadline { limit: timeout };
        let mut url = self.target.origin().clone();
        url.query_pairs_mut()
            .extend_pairs(self.database.iter().map(|name| ("database", name)))
            .extend_pairs(settings);
        let headers = vec![
            ("x-clickhouse-user", self.target.user().to_owned()),
            ("x-clickhouse-key", self.target.password().to_owned()),
        ];
        let request = WireRequest {
            url,
            headers,
            body,
            timeout,
        };
        let answer = timeout_at(until, self.wire.post(request)).await;
        let WireAnswer { status, mut body } = answer
            .map_err(late)?
            .map_err(ClickHouseError::Unreachable)?;
        if status == 200 {
            return Ok(body);
        }
        let mut text = Vec::new();
        while text.len() < MAX_ERROR_BYTES {
            // A truncated message is still an error.
            match timeout_at(until, body.next()).await {
                Ok(Ok(Some(more))) => text.extend_from_slice(&more),
                Ok(Ok(None) | Err(_)) | Err(_) => break,
            }
        }
        let error = ClickHouseError::refused(status, &text);
        if error.is_timeout() {
            return Err(ClickHouseError::Deadline { limit: timeout });
        }
        Err(error)
    }
}
