//! Removes totals of days that have changed.

use super::{background, fingerprint::select};
use crate::{client::Client, error::ClickHouseError, row_binary::number, schema::TIMEOUT};

/// The hours after which the values of a count without an end belong to nobody.
const HOURS_OF_A_COUNT: u32 = 24;

/// Removes the totals of days that have other visits now, or none. Returns whether there were any.
///
/// The rows of days go before their values, and for good: if a day came to have its former visits
/// again, its totals would count again, and would lack values.
pub(crate) async fn remove_stale(client: &Client) -> Result<bool, ClickHouseError> {
    let counts = client.rows("SELECT count() FROM slugline_day", TIMEOUT, number);
    if counts.await?.first() == Some(&0) {
        return Ok(false);
    }
    let fingerprints = select();
    let stale = format!(
        "SELECT DISTINCT count FROM slugline_day WHERE (day, rows, hash) NOT IN \
         (SELECT day, rows, hash FROM ({fingerprints}))"
    );
    let stale = client.rows(&stale, TIMEOUT, number).await?;
    if !stale.is_empty() {
        remove(client, "slugline_day", &stale).await?;
        remove(client, "slugline_day_value", &stale).await?;
    }
    Ok(!stale.is_empty())
}

/// Removes values of counts that never ended.
pub(crate) async fn remove_orphans(client: &Client) -> Result<(), ClickHouseError> {
    let orphans = format!(
        "SELECT DISTINCT count FROM slugline_day_value \
         WHERE made_at < now() - toIntervalHour({HOURS_OF_A_COUNT}) \
         AND count NOT IN (SELECT count FROM slugline_day)"
    );
    let orphans = client.rows(&orphans, TIMEOUT, number).await?;
    if orphans.is_empty() {
        return Ok(());
    }
    remove(client, "slugline_day_value", &orphans).await
}

/// Deletes the rows of counts, and waits until they are gone.
async fn remove(client: &Client, table: &str, counts: &[u64]) -> Result<(), ClickHouseError> {
    let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
    let delete = format!(
        "ALTER TABLE {table} DELETE WHERE count IN ({})",
        counts.join(", ")
    );
    background::run(client, &delete).await
}
