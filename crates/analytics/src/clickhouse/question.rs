//! Statements that nobody waits for any more.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::runtime::Handle;

use super::client::Client;

/// A statement that ClickHouse works on. If this is dropped before the answer is there,
/// ClickHouse is told to stop: it does not notice by itself that the connection has ended.
#[derive(Debug)]
pub(super) struct Question {
    client: Client,
    id: String,
    is_over: bool,
}

impl Question {
    pub(super) fn new(client: &Client) -> Self {
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
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// ClickHouse has answered.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        const TIMEOUT: Duration = Duration::from_secs(10);

        if self.is_over {
            return;
        }
        // A program that ends has no runtime any more, and no questions.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let client = self.client.outside();
        let sql = format!("KILL QUERY WHERE query_id = '{}' ASYNC", self.id);
        runtime.spawn(async move {
            // It may be over, and else it ends at its time limit.
            let _ = client.run(&sql, TIMEOUT).await;
        });
    }
}
