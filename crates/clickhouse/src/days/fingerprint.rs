//! The fingerprint of each day's visits, and the projection that keeps it.
//!
//! A projection is part of the table: ClickHouse computes it for each insertion, and again when a
//! mutation, a merge or retention removes visits. So a question reads the fingerprints of all days
//! in some milliseconds, and they are those of the visits that are there.

use slugline_analytics::utc::MILLIS_PER_DAY;

use crate::{
    client::Client,
    error::ClickHouseError,
    row_binary::number,
    schema::TIMEOUT,
    sql::{floor, text},
};

/// The projection's name.
const NAME: &str = "slugline_day";

/// The day of a visit, as a number since 1970.
pub(crate) fn day() -> String {
    floor("ts_ms", MILLIS_PER_DAY)
}

/// A select for each day's fingerprint: `day`, `rows` and `hash`.
pub(crate) fn select() -> String {
    let [rows, hash] = AGGREGATES;
    let day = day();
    format!("SELECT {day} AS day, {rows} AS rows, {hash} AS hash FROM access_log GROUP BY day")
}

/// Sums of hashes wrap, and do not depend on an order.
const AGGREGATES: [&str; 2] = [
    "count()",
    "sum(cityHash64(ts_ms, link_id, visitor, sampling_interval))",
];

/// How far the projection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Projection {
    /// All visits are in it.
    Complete,
    /// ClickHouse still computes it for this many visits.
    UnderWay(u64),
    /// The table cannot have one: it has another engine, or ClickHouse is too old.
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
    match client.run(&add, TIMEOUT).await {
        Err(error) if error.is_about_syntax() => return Ok(Projection::Impossible),
        added => added?,
    }
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Fingerprint {
    pub(crate) day: i64,
    pub(crate) rows: u64,
    pub(crate) hash: u64,
}

/// Returns whether a day still has these visits.
pub(crate) async fn is_unchanged(
    client: &Client,
    Fingerprint { day, rows, hash }: Fingerprint,
) -> Result<bool, ClickHouseError> {
    let select = select();
    let sql = format!(
        "SELECT count() FROM ({select}) WHERE day = {day} AND rows = {rows} AND hash = {hash}"
    );
    Ok(one(client, &sql).await? == 1)
}

async fn one(client: &Client, sql: &str) -> Result<u64, ClickHouseError> {
    let rows = client.rows(sql, TIMEOUT, number).await?;
    Ok(rows.first().copied().unwrap_or(0))
}
