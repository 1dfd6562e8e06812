//! The fingerprint of each day's visits, and the projection that keeps it.
//!
//! A projection is part of the table: ClickHouse computes it for each insertion, and again when a
//! mutation, a merge or retention removes visits. So a question reads the fingerprints of all days
//! in some milliseconds, and they are those of the visits that are there.

use crate::{
    client::Client,
    error::ClickHouseError,
    row_binary::{Cursor, DecodeError, number},
    schema::TIMEOUT,
    sql::{floor, text},
};

/// The projection's name.
const NAME: &str = "slugline_day";

const MILLIS_PER_DAY: i64 = slugline_analytics::utc::MILLIS_PER_DAY;

/// The day of a visit, as a number since 1970.
pub(crate) fn day() -> String {
    floor("ts_ms", MILLIS_PER_DAY)
}

/// A select for each day's fingerprint: `day`, `rows`, `hash`, and `imported`, which is that of the
/// imported visits; 0 if there are none.
pub(crate) fn select() -> String {
    let [rows, hash, imported] = AGGREGATES;
    format!(
        "SELECT {} AS day, {rows} AS rows, {hash} AS hash, {imported} AS imported \
         FROM access_log GROUP BY day",
        day()
    )
}

/// Sums of hashes wrap, and do not depend on an order.
const AGGREGATES: [&str; 3] = [
    "count()",
    "sum(cityHash64(ts_ms, link_id, visitor, sampling_interval))",
    "sumIf(cityHash64(ts_ms, link_id, visitor, imported_ms), imported_ms != 0)",
];

/// How far the projection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Projection {
    /// All visits are in it.
    Complete,
    /// ClickHouse still computes it for this many visits.
    UnderWay(u64),
    /// The table cannot have one, because it has another engine.
    Impossible,
}

/// Adds the projection to the table, and has ClickHouse compute it for the visits that are there.
pub(crate) async fn prepare(client: &Client) -> Result<Projection, ClickHouseError> {
    let database = text(client.target().database());
    let table = format!("database = {database} AND table = 'access_log'");
    // Other engines, such as `Distributed`, store no rows themselves.
    let stores = format!(
        "SELECT count() FROM system.tables WHERE database = {database} AND name = 'access_log' \
         AND engine LIKE '%MergeTree'"
    );
    if one(client, &stores).await? == 0 {
        return Ok(Projection::Impossible);
    }
    let add = format!(
        "ALTER TABLE access_log ADD PROJECTION IF NOT EXISTS {NAME} (SELECT {}, {} GROUP BY {})",
        day(),
        AGGREGATES.join(", "),
        day()
    );
    client.run(&add, TIMEOUT).await?;
    let rows = format!("SELECT sum(rows) FROM system.parts WHERE {table} AND active");
    let done = format!(
        "SELECT sum(parent_rows) FROM system.projection_parts \
         WHERE {table} AND active AND name = '{NAME}'"
    );
    let left = one(client, &rows)
        .await?
        .saturating_sub(one(client, &done).await?);
    if left == 0 {
        return Ok(Projection::Complete);
    }
    let running = format!(
        "SELECT count() FROM system.mutations WHERE {table} AND NOT is_done \
         AND command LIKE '%MATERIALIZE PROJECTION%'"
    );
    if one(client, &running).await? == 0 {
        let materialize = format!("ALTER TABLE access_log MATERIALIZE PROJECTION {NAME}");
        client.run(&materialize, TIMEOUT).await?;
    }
    Ok(Projection::UnderWay(left))
}

/// A day's fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    pub(crate) day: i64,
    pub(crate) rows: u64,
    pub(crate) hash: u64,
}

/// The days that no count has as they are now, the latest first.
pub(crate) async fn uncounted(
    client: &Client,
    before: i64,
    least_rows: u64,
) -> Result<Vec<Fingerprint>, ClickHouseError> {
    let sql = format!(
        "SELECT toInt64(day), rows, hash FROM ({}) WHERE day < {before} AND rows >= {least_rows} \
         AND (day, rows, hash) NOT IN (SELECT day, rows, hash FROM slugline_day) \
         ORDER BY day DESC",
        select()
    );
    let read = |row: &mut Cursor<'_>| -> Result<Fingerprint, DecodeError> {
        Ok(Fingerprint {
            day: row.i64()?,
            rows: row.u64()?,
            hash: row.u64()?,
        })
    };
    client.rows(&sql, TIMEOUT, read).await
}

async fn one(client: &Client, sql: &str) -> Result<u64, ClickHouseError> {
    let rows = client.rows(sql, TIMEOUT, number).await?;
    Ok(rows.first().copied().unwrap_or(0))
}
