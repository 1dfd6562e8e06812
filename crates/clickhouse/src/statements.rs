//! Statements that read: ClickHouse ends them when their caller has gone, and their rows arrive one after the
//! other.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    runtime::Handle,
    time::{Instant, timeout_at},
};

use crate::{
    client::{Client, OF_A_READ},
    connection::WireBody,
    error::ClickHouseError,
    row_binary::{Cursor, DecodeError, ReadRow},
};

/// A statement that ClickHouse works on. If this is dropped before the answer is there,
/// ClickHouse is told to stop: it does not notice by itself that the connection has ended.
#[derive(Debug)]
pub(crate) struct RunningStatement {
    client: Client,
    id: String,
    is_over: bool,
}

impl RunningStatement {
    pub(crate) fn new(client: &Client) -> Self {
        static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one("slugline"));
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Self {
            client: client.clone(),
            id: format!("slugline-{:016x}-{number}", *PROCESS),
            is_over: false,
        }
    }

    /// The name under which ClickHouse knows it.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Notes that ClickHouse has answered.
    pub(crate) fn end(&mut self) {
        self.is_over = true;
    }
}

impl Client {
    /// Runs a statement that reads, and reads all its rows. It ends in ClickHouse, too, if
    /// no client waits for them any more.
    pub(crate) async fn rows<T>(
        &self,
        sql: &str,
        timeout: Duration,
        read: ReadRow<T>,
    ) -> Result<Vec<T>, ClickHouseError> {
        let mut running = RunningStatement::new(self);
        let id = running.id().to_owned();
        let rows = self.all(sql, &[("query_id", &id)], timeout, read).await;
        if !matches!(rows, Err(ClickHouseError::Deadline { .. })) {
            running.end();
        }
        rows
    }

    /// Runs a statement that returns too many rows to be read at once.
    pub(crate) async fn stream<T>(
        &self,
        sql: &str,
        timeout: Duration,
        read: ReadRow<T>,
    ) -> Result<RowStream<T>, ClickHouseError> {
        let mut running = RunningStatement::new(self);
        let id = running.id().to_owned();
        let body = self.select(sql, &[("query_id", &id)], timeout).await;
        if !matches!(body, Err(ClickHouseError::Deadline { .. })) {
            // ClickHouse answers when it has computed all rows.
            running.end();
        }
        Ok(RowStream::new(body?, timeout, read))
    }

    /// Runs a statement and reads its rows while ClickHouse still works on it. Each row has to show
    /// by itself that it is one, because ClickHouse may write an error instead of it.
    pub(crate) async fn stream_at_once<T>(
        &self,
        sql: &str,
        timeout: Duration,
        read: ReadRow<T>,
    ) -> Result<RowStream<T>, ClickHouseError> {
        // As long as the reader takes.
        let settings = [("max_execution_time", "0"), ("wait_end_of_query", "0")];
        let settings = [&OF_A_READ[..], &settings].concat();
        let body = self
            .exchange(&settings, sql.as_bytes().to_vec(), timeout)
            .await?;
        Ok(RowStream::new(body, timeout, read))
    }
}

impl Drop for RunningStatement {
    fn drop(&mut self) {
        const TIMEOUT: Duration = Duration::from_secs(10);

        if self.is_over {
            return;
        }
        // A program that is ending has no runtime and no questions any more.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let client = self.client.outside();
        let sql = format!("KILL QUERY WHERE query_id = '{}' ASYNC", self.id);
        runtime.spawn(async move {
            // The statement may have ended; otherwise it ends at its time limit.
            let _ = client.run(&sql, TIMEOUT).await;
        });
    }
}

/// Rows that are still arriving.
#[derive(Debug)]
pub(crate) struct RowStream<T> {
    body: Box<dyn WireBody>,
    /// The beginning of a row whose rest has not arrived.
    unread: Vec<u8>,
    /// The time limit of each step.
    timeout: Duration,
    read: ReadRow<T>,
}

impl<T> RowStream<T> {
    /// Rows in a body. The timeout is that of each step.
    pub(crate) fn new(body: Box<dyn WireBody>, timeout: Duration, read: ReadRow<T>) -> Self {
        Self {
            body,
            unread: Vec::new(),
            timeout,
            read,
        }
    }

    /// Returns the next rows, none at the end.
    pub(crate) async fn next(&mut self) -> Result<Vec<T>, ClickHouseError> {
        loop {
            let more = timeout_at(Instant::now() + self.timeout, self.body.next()).await;
            let late = |_| ClickHouseError::Deadline {
                limit: self.timeout,
            };
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
