//! Whether visitors of days add up: they do if no day has a visitor of another one.
//!
//! Salts that last for a day make other hashes every day, so visits that are recorded today have
//! hashes that no other day has. Nothing says so of visits that were imported, moved or recorded
//! before there were totals. So a node compares each day that is over with all others, and again if
//! its visits change. Until then, questions scan visitors.

use std::collections::BTreeSet;

use slugline_analytics::utc::MILLIS_PER_DAY;

use super::{
    background,
    fingerprint::{Fingerprint, day},
};
use crate::{
    client::Client,
    error::ClickHouseError,
    row_binary::{Cursor, DecodeError},
    schema::TIMEOUT,
};

/// The visits whose visitors ClickHouse has in memory at the same time, some 200 MB.
const ROWS_AT_A_TIME: u64 = 4_000_000;

/// A select of the days that were compared: the fingerprint of their visits then, and whether they
/// share visitors.
pub(crate) const COMPARED: &str = "SELECT day, \
    argMax(rows, (rows > 0, noted_at)) AS compared_rows, \
    argMax(hash, (rows > 0, noted_at)) AS compared_hash, max(a.shared) AS shares \
    FROM slugline_day_apart AS a GROUP BY day";

/// The last day whose visitors may come under hashes of other days.
pub(crate) const MIXED_UNTIL: &str = "ifNull((SELECT max(day) FROM slugline_day_apart \
    WHERE rows = 0 AND shared = 0), 0)";

/// Notes that visitors of days up to this one may come under hashes of other days. Such visits may
/// be sent afterwards.
pub(crate) async fn mix_days(client: &Client, until: i64) -> Result<(), ClickHouseError> {
    let mut rows = Vec::new();
    put(&mut rows, (until, 0, 0), false);
    insert(client, &format!("mixed days {until}"), rows).await
}

/// Compares the visitors of a day with those of all other days.
pub(crate) async fn compare(client: &Client, of: Fingerprint) -> Result<(), ClickHouseError> {
    let start = of.day.saturating_mul(MILLIS_PER_DAY);
    let end = start.saturating_add(MILLIS_PER_DAY);
    let is_of_day = format!("ts_ms >= {start} AND ts_ms < {end}");
    let steps = of.rows / ROWS_AT_A_TIME + 1;
    let mut others = BTreeSet::new();
    for step in 0..steps {
        let some = format!("visitor % {steps} = {step}");
        let sql = format!(
            "SELECT DISTINCT toInt64({}) FROM access_log WHERE NOT ({is_of_day}) AND {some} \
             AND visitor IN (SELECT visitor FROM access_log WHERE {is_of_day} AND {some})",
            day()
        );
        others.extend(background::rows(client, &sql, number).await?);
    }
    let Fingerprint { day, rows, hash } = of;
    let mut notes = Vec::new();
    put(&mut notes, (day, rows, hash), !others.is_empty());
    for other in others {
        put(&mut notes, (other, 0, 0), true);
    }
    insert(client, &format!("compared {day} {rows} {hash}"), notes).await
}

async fn insert(client: &Client, token: &str, rows: Vec<u8>) -> Result<(), ClickHouseError> {
    let into = "slugline_day_apart (day, rows, hash, shared)";
    client.insert(into, token, rows, TIMEOUT).await
}

fn put(bytes: &mut Vec<u8>, (day, rows, hash): (i64, u64, u64), shared: bool) {
    bytes.extend_from_slice(&day.to_le_bytes());
    bytes.extend_from_slice(&rows.to_le_bytes());
    bytes.extend_from_slice(&hash.to_le_bytes());
    bytes.push(shared.into());
}

fn number(row: &mut Cursor<'_>) -> Result<i64, DecodeError> {
    row.i64()
}
