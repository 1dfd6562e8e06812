//! Whether visitors of days add up: they do if no day has a visitor of another one.
//!
//! Salts that last for a day make other hashes every day. Neither an imported visit nor one from
//! before there were totals says which salt made its hash, so a check compares the visitors of all
//! days. It holds until visits are imported again. Salts that last longer make visitors of all days
//! up to their end count as shared.

use std::collections::BTreeSet;

use slugline_domain::ports::Random;

use super::{
    background,
    fingerprint::{day, select},
};
use crate::{
    client::Client,
    error::ClickHouseError,
    row_binary::{Cursor, DecodeError, number},
    schema::TIMEOUT,
};

/// The visitors that a step of a check has in memory at the same time, some 200 MB.
const ROWS_AT_A_TIME: u64 = 4_000_000;

/// The latest check; 0 if there is none. A select within an expression may be null.
pub(crate) const LATEST: &str = "ifNull((SELECT argMax(check_id, checked_at) \
    FROM slugline_day_apart WHERE check_id != 0), 0)";

/// Notes that visitors of days up to this one may be those of other days.
pub(crate) async fn link_days(client: &Client, until: i64) -> Result<(), ClickHouseError> {
    let mut row = 0_u64.to_le_bytes().to_vec();
    row.extend_from_slice(&until.to_le_bytes());
    let token = format!("linked days {until}");
    let into = "slugline_day_apart (check_id, day)";
    client.insert(into, &token, row, TIMEOUT).await
}

/// Returns whether visits were imported since the latest check, or there was none.
pub(crate) async fn needs_check(client: &Client) -> Result<bool, ClickHouseError> {
    let sql = format!(
        "SELECT toUInt64({LATEST} = 0 OR ifNull((SELECT count() FROM ({}) WHERE imported != 0 \
         AND (day, imported) NOT IN (SELECT day, imported FROM slugline_day_apart \
         WHERE check_id = {LATEST})), 0) > 0)",
        select()
    );
    let needs = client.rows(&sql, TIMEOUT, number).await?;
    Ok(needs.first() == Some(&1))
}

/// Compares the visitors of all days.
pub(crate) async fn check(client: &Client, random: &dyn Random) -> Result<(), ClickHouseError> {
    // Visits that are imported meanwhile may be missed, and make the check void.
    let read = |row: &mut Cursor<'_>| -> Result<(i64, u64, u64), DecodeError> {
        Ok((row.i64()?, row.u64()?, row.u64()?))
    };
    let before = format!(
        "SELECT toInt64(day), rows, imported FROM ({}) ORDER BY day",
        select()
    );
    let before = client.rows(&before, TIMEOUT, read).await?;
    let rows: u64 = before.iter().map(|(_, rows, _)| rows).sum();
    let steps = rows / ROWS_AT_A_TIME + 1;
    let mut shared = BTreeSet::new();
    for step in 0..steps {
        let sql = format!(
            "SELECT DISTINCT toInt64(arrayJoin(days)) FROM \
                (SELECT groupUniqArray({}) AS days FROM access_log WHERE visitor % {steps} = {step} \
                 GROUP BY visitor HAVING length(days) > 1)",
            day()
        );
        shared.extend(background::rows(client, &sql, of_day).await?);
    }
    let id = background::number(random);
    let mut rows = Vec::new();
    let nothing = (i64::MIN, 0, 0);
    for (day, _, imported) in before.into_iter().chain([nothing]) {
        rows.extend_from_slice(&id.to_le_bytes());
        rows.extend_from_slice(&day.to_le_bytes());
        rows.extend_from_slice(&imported.to_le_bytes());
        rows.push(u8::from(shared.contains(&day)));
    }
    let into = "slugline_day_apart (check_id, day, imported, shared)";
    client
        .insert(into, &format!("check {id}"), rows, TIMEOUT)
        .await?;
    let forget = format!("ALTER TABLE slugline_day_apart DELETE WHERE check_id NOT IN (0, {id})");
    client.run(&forget, TIMEOUT).await
}

fn of_day(row: &mut Cursor<'_>) -> Result<i64, DecodeError> {
    row.i64()
}
