//! The counts that have begun.
//!
//! A count notes itself before it stores anything, so all that it stores can be found, wherever it
//! was interrupted. Once a count is void it stays so: its totals go piece by piece, and its day may
//! come to have its former visits again.

use super::{
    background::{self, is_one_of},
    fingerprint::{Fingerprint, select},
};
use crate::{client::Client, error::ClickHouseError, row_binary::number, schema::TIMEOUT};

/// The hours after which a count has ended, and with it each of its statements.
const HOURS_OF_A_COUNT: u32 = 24;

/// A select of some column of the void counts.
pub(crate) fn void(column: &str) -> String {
    format!("SELECT {column} FROM slugline_day_begun WHERE rows = 0")
}

/// A condition: the count has ended, or has been interrupted.
fn is_over() -> String {
    format!("begun_at < now() - toIntervalHour({HOURS_OF_A_COUNT})")
}

/// Notes that a count begins.
pub(crate) async fn begin(
    client: &Client,
    Fingerprint { day, rows, hash }: Fingerprint,
    count: u64,
) -> Result<(), ClickHouseError> {
    let mut row = day.to_le_bytes().to_vec();
    for number in [rows, hash, count] {
        row.extend_from_slice(&number.to_le_bytes());
    }
    let into = "slugline_day_begun (day, rows, hash, count)";
    let token = format!("begun {count}");
    client.insert(into, &token, row, TIMEOUT).await
}

/// Returns whether a count that has begun is void.
pub(crate) async fn is_void(client: &Client, count: u64) -> Result<bool, ClickHouseError> {
    let sql = format!("{} AND count = {count}", void("count"));
    Ok(!client.rows(&sql, TIMEOUT, number).await?.is_empty())
}

/// Makes counts void whose days have other visits now, or none, and those that were interrupted.
pub(crate) async fn make_void(client: &Client) -> Result<(), ClickHouseError> {
    let all = "SELECT count() FROM slugline_day_begun";
    if client.rows(all, TIMEOUT, number).await? == [0] {
        // Without a projection, the fingerprints take a scan of all visits.
        return Ok(());
    }
    let outdated = format!(
        "SELECT count FROM slugline_day_begun WHERE rows > 0 \
         AND ((day, rows, hash) NOT IN (SELECT day, rows, hash FROM ({})) \
              OR ({} AND count NOT IN (SELECT count FROM slugline_day)))",
        select(),
        is_over()
    );
    let outdated = client.rows(&outdated, TIMEOUT, number).await?;
    if outdated.is_empty() {
        return Ok(());
    }
    let update = format!(
        "ALTER TABLE slugline_day_begun UPDATE rows = 0 WHERE {}",
        is_one_of("count", &outdated)
    );
    background::run(client, &update).await
}

/// Forgets void counts that can store nothing any more.
pub(crate) async fn forget(client: &Client) -> Result<(), ClickHouseError> {
    let over = format!("{} AND {}", void("count"), is_over());
    let over = client.rows(&over, TIMEOUT, number).await?;
    if over.is_empty() {
        return Ok(());
    }
    let delete = format!(
        "ALTER TABLE slugline_day_begun DELETE WHERE {}",
        is_one_of("count", &over)
    );
    background::run(client, &delete).await
}
