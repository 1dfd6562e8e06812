//! Statements that nobody waits for.

use std::time::Duration;

use slugline_domain::ports::Random;

use crate::{
    client::Client,
    error::ClickHouseError,
    row_binary::{DecodeError, ReadRow},
};

/// The time limit of a statement.
pub(crate) const TIMEOUT: Duration = Duration::from_mins(10);

/// One thread, groups beyond a gigabyte on the disk, and an answer only after rows are deleted.
const SETTINGS: [(&str, &str); 3] = [
    ("max_threads", "1"),
    ("max_bytes_before_external_group_by", "1000000000"),
    ("mutations_sync", "1"),
];

/// Runs a statement and returns its rows.
pub(crate) async fn rows<T>(
    client: &Client,
    sql: &str,
    read: ReadRow<T>,
) -> Result<Vec<T>, ClickHouseError> {
    client.all(sql, &SETTINGS, TIMEOUT, read).await
}

/// Runs a statement that returns no rows.
pub(crate) async fn run(client: &Client, sql: &str) -> Result<(), ClickHouseError> {
    let nothing = rows::<()>(client, sql, |_| Err(DecodeError::OutOfRange));
    nothing.await.map(drop)
}

/// A condition with numbers instead of a select: replicas carry out a change by themselves, and would
/// select from different tables.
pub(crate) fn is_one_of(column: &str, numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    format!("{column} IN ({})", numbers.join(", "))
}

/// A number that nobody else draws, and never 0.
pub(crate) fn number(random: &dyn Random) -> u64 {
    let mut bytes = [0; 8];
    random.fill(&mut bytes);
    u64::from_le_bytes(bytes).max(1)
}
