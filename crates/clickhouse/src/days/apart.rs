//! Whether visitors of days add up: they do if no day has a visitor of another one.
//!
//! Salts that last for a day make other hashes every day, so visits that are recorded today have
//! hashes that no other day has. Nothing says so of visits that were imported, moved or recorded
//! before there were totals. So a node compares each day that is over with all others, and again if
//! its visits change. Until then, questions scan visitors.
//!
//! Two days are apart if the later comparison saw the other day's visits as they are now. So a
//! comparison ends those of days that have changed since: such a day may come to have its former
//! visits again.

use std::collections::BTreeSet;

use slugline_analytics::utc::MILLIS_PER_DAY;

use super::{
    background,
    fingerprint::{Fingerprint, day, select},
};
use crate::{
    client::Client,
    error::ClickHouseError,
    row_binary::{Cursor, DecodeError},
    schema::TIMEOUT,
};

/// The visits whose visitors ClickHouse has in memory at the same time, some 200 MB.
const ROWS_AT_A_TIME: u64 = 4_000_000;

/// The number of visits in place of a fingerprint where a comparison is at an end.
const ENDED: u64 = u64::MAX;

/// A select of the days that have notes: the fingerprint of their visits at the last comparison,
/// whether they share visitors, whether visitors of days up to this one may come under hashes of
/// other days, and the number of notes.
pub(crate) const COMPARED: &str = "SELECT day, \
    argMax(rows, (rows > 0, noted_at)) AS compared_rows, \
    argMax(hash, (rows > 0, noted_at)) AS compared_hash, max(a.shared) AS shares, \
    max(rows = 0 AND a.shared = 0) AS mixes, count() AS notes \
    FROM slugline_day_apart AS a GROUP BY day";

/// Notes that visitors of days up to this one may come under hashes of other days. Such visits may
/// be sent afterwards.
pub(crate) async fn mix_days(client: &Client, until: i64) -> Result<(), ClickHouseError> {
    let mut rows = Vec::new();
    put(&mut rows, (until, 0, 0), false);
    insert(client, &format!("mixed days {until}"), rows).await
}

/// Compares the visitors of a day with those of all other days. `number` names the comparison: a day
/// may have had the same visits at an earlier one.
pub(crate) async fn compare(
    client: &Client,
    of: Fingerprint,
    number: u64,
) -> Result<(), ClickHouseError> {
    let Fingerprint { day, rows, hash } = of;
    let mut notes = Vec::new();
    let others = sharing(client, of).await?;
    put(&mut notes, (day, rows, hash), !others.is_empty());
    for other in others {
        put(&mut notes, (other, 0, 0), true);
    }
    for other in changed(client).await? {
        if other != day {
            put(&mut notes, (other, ENDED, 0), false);
        }
    }
    insert(client, &format!("compared {number}"), notes).await
}

/// The other days that have visitors of a day.
async fn sharing(client: &Client, of: Fingerprint) -> Result<BTreeSet<i64>, ClickHouseError> {
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
        others.extend(background::rows(client, &sql, read_day).await?);
    }
    Ok(others)
}

/// The days that have other visits than at their last comparison, or none.
async fn changed(client: &Client) -> Result<Vec<i64>, ClickHouseError> {
    let sql = format!(
        "SELECT day FROM ({COMPARED}) WHERE compared_rows NOT IN (0, {ENDED}) \
         AND (day, compared_rows, compared_hash) NOT IN (SELECT day, rows, hash FROM ({}))",
        select()
    );
    client.rows(&sql, TIMEOUT, read_day).await
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

fn read_day(row: &mut Cursor<'_>) -> Result<i64, DecodeError> {
    row.i64()
}
