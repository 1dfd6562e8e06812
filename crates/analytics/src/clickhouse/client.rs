//! Statements and their answers.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, timeout_at};

use super::{
    error::ClickHouseError,
    row_binary::{Cursor, DecodeError, ReadRow},
    target::ClickHouseTarget,
    wire::{ClickHouseWire, WireAnswer, WireBody, WireRequest},
};

/// Bytes that a statement may have. A filter may name thousands of values;
/// ClickHouse's own limit is 256 KiB.
const MAX_QUERY_SIZE: &str = "67108864";

/// The same for the parts of a statement: its limit is 50,000, and each value
/// of a filter is one.
const MAX_AST_ELEMENTS: &str = "4000000";

/// What is read of an error.
const MAX_ERROR_BYTES: usize = 4_096;

/// A connection's worth of knowledge: where, who, and how.
#[derive(Clone, Debug)]
pub(super) struct Client {
    target: ClickHouseTarget,
    wire: Arc<dyn ClickHouseWire>,
    /// Where names without a database are looked for; `None` while it may not
    /// exist, because naming it would make every statement fail.
    database: Option<String>,
}

/// A setting of one statement.
type Setting<'s> = (&'s str, &'s str);

impl Client {
    pub(super) fn new(target: ClickHouseTarget, wire: Arc<dyn ClickHouseWire>) -> Self {
        let database = Some(target.database().to_owned());
        Self {
            target,
            wire,
            database,
        }
    }

    /// The same for statements about no particular database.
    pub(super) fn outside(&self) -> Self {
        Self {
            database: None,
            ..self.clone()
        }
    }

    pub(super) fn target(&self) -> &ClickHouseTarget {
        &self.target
    }

    /// Runs a statement that answers nothing.
    pub(super) async fn run(&self, sql: &str, within: Duration) -> Result<(), ClickHouseError> {
        self.rows::<()>(sql, within, |_| Err(DecodeError::OutOfRange))
            .await
            .map(drop)
    }

    /// Runs a statement and reads all its rows.
    pub(super) async fn rows<T>(
        &self,
        sql: &str,
        within: Duration,
        read: ReadRow<T>,
    ) -> Result<Vec<T>, ClickHouseError> {
        let until = Instant::now() + within;
        let late = |_| ClickHouseError::Deadline { limit: within };
        let mut body = self.select(sql, within).await?;
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

    /// Runs a statement whose rows are too many to be read at once.
    pub(super) async fn stream<T>(
        &self,
        sql: &str,
        within: Duration,
        read: ReadRow<T>,
    ) -> Result<RowStream<T>, ClickHouseError> {
        let body = self.select(sql, within).await?;
        Ok(RowStream {
            body,
            unread: Vec::new(),
            within,
            read,
        })
    }

    /// Inserts rows. ClickHouse takes rows with the same token once, however
    /// often they are sent.
    pub(super) async fn insert(
        &self,
        into: &str,
        token: &str,
        rows: Vec<u8>,
        within: Duration,
    ) -> Result<(), ClickHouseError> {
        let query = format!("INSERT INTO {into} FORMAT RowBinary");
        let settings = [
            ("query", query.as_str()),
            ("insert_deduplicate", "1"),
            ("insert_deduplication_token", token),
            // A batch is a second's worth already, and ClickHouse does not
            // deduplicate what it gathers itself.
            ("async_insert", "0"),
        ];
        self.exchange(&settings, rows, within).await.map(drop)
    }

    async fn select(
        &self,
        sql: &str,
        within: Duration,
    ) -> Result<Box<dyn WireBody>, ClickHouseError> {
        let seconds = within.as_secs().max(1).to_string();
        let settings = [
            ("default_format", "RowBinary"),
            ("max_execution_time", seconds.as_str()),
            ("max_query_size", MAX_QUERY_SIZE),
            ("max_ast_elements", MAX_AST_ELEMENTS),
            ("max_expanded_ast_elements", MAX_AST_ELEMENTS),
        ];
        self.exchange(&settings, sql.as_bytes().to_vec(), within)
            .await
    }

    /// One request. The answer has begun, and it will not turn into an error
    /// halfway: ClickHouse is told to finish before it answers.
    async fn exchange(
        &self,
        settings: &[Setting<'_>],
        body: Vec<u8>,
        within: Duration,
    ) -> Result<Box<dyn WireBody>, ClickHouseError> {
        let until = Instant::now() + within;
        let late = |_| ClickHouseError::Deadline { limit: within };
        let mut url = self.target.origin().clone();
        url.query_pairs_mut()
            .extend_pairs(self.database.iter().map(|name| ("database", name)))
            .append_pair("wait_end_of_query", "1")
            .extend_pairs(settings);
        let headers = vec![
            ("x-clickhouse-user", self.target.user().to_owned()),
            ("x-clickhouse-key", self.target.password().to_owned()),
        ];
        let request = WireRequest {
            url,
            headers,
            body,
            within,
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
            // An error that breaks off is one all the same.
            match timeout_at(until, body.next()).await {
                Ok(Ok(Some(more))) => text.extend_from_slice(&more),
                Ok(Ok(None) | Err(_)) | Err(_) => break,
            }
        }
        let error = ClickHouseError::refused(status, &text);
        if error.is_timeout() {
            return Err(ClickHouseError::Deadline { limit: within });
        }
        Err(error)
    }
}

/// Rows on their way.
#[derive(Debug)]
pub(super) struct RowStream<T> {
    body: Box<dyn WireBody>,
    /// The beginning of a row whose rest has not arrived.
    unread: Vec<u8>,
    /// Patience with each step.
    within: Duration,
    read: ReadRow<T>,
}

impl<T> RowStream<T> {
    /// The next rows, none at the end.
    pub(super) async fn next(&mut self) -> Result<Vec<T>, ClickHouseError> {
        loop {
            let more = timeout_at(Instant::now() + self.within, self.body.next()).await;
            let late = |_| ClickHouseError::Deadline { limit: self.within };
            let more = more.map_err(late)?.map_err(ClickHouseError::Unreachable)?;
            let Some(more) = more else {
                return if self.unread.is_empty() {
                    Ok(Vec::new())
                } else {
                    Err(DecodeError::Short.into())
                };
            };
            self.unread.extend_from_slice(&more);
            let mut cursor = Cursor::new(&self.unread);
            let rows = cursor.rows(self.read)?;
            let left = cursor.left();
            self.unread.drain(..self.unread.len() - left);
            if !rows.is_empty() {
                return Ok(rows);
            }
        }
    }
}
