//! Ends statements that nobody waits for any more.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::runtime::Handle;

use crate::{
    client::{Client, RowStream},
    error::ClickHouseError,
    row_binary::ReadRow,
};

/// A statement that ClickHouse works on. If this is dropped before the answer is there,
/// ClickHouse is told to stop: it does not notice by itself that the connection has ended.
#[derive(Debug)]
pub(crate) struct Question {
    client: Client,
    id: String,
    is_over: bool,
}

impl Question {
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
    /// nobody waits for them any more.
    pub(crate) async fn rows<T>(
        &self,
        sql: &str,
        timeout: Duration,
        read: ReadRow<T>,
    ) -> Result<Vec<T>, ClickHouseError> {
        let mut question = Question::new(self);
        let id = question.id().to_owned();
        let rows = self.all(sql, &[("query_id", &id)], timeout, read).await;
        if !matches!(rows, Err(ClickHouseError::Deadline { .. })) {
            question.end();
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
        let mut question = Question::new(self);
        let id = question.id().to_owned();
        let body = self.select(sql, &[("query_id", &id)], timeout).await;
        if !matches!(body, Err(ClickHouseError::Deadline { .. })) {
            // ClickHouse answers when it has computed all rows.
            question.end();
        }
        Ok(RowStream::new(body?, timeout, read))
    }
}

impl Drop for Question {
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
