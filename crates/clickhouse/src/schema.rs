//! The tables in ClickHouse. The first node of a new version brings them up to
//! date.
//!
//! Each step may run twice, even at the same time, so nodes need no lock. A step only adds:
//! nodes of the previous version continue to write and to query, since every statement names
//! its columns. The service uses tables that an operator has created, such as replicated ones,
//! unchanged.

use std::{error::Error as StdError, num::NonZeroU32, time::Duration};

use sha2::{Digest, Sha256};

use crate::{
    client::Client,
    error::ClickHouseError,
    row_binary::{Cursor, number},
    sql, totals,
};

/// The steps in their order. The number of a step is its position, starting with 1. Until a version
/// is released, its step is edited in place; the fingerprint refuses what other builds have made.
const STEPS: [&str; 1] = [include_str!("schema.sql")];

/// The end of a statement of a step.
const END: &str = ";\n";

/// The table of applied steps.
const VERSIONS: &str = "CREATE TABLE IF NOT EXISTS slugline_schema \
     (version UInt32, fingerprint UInt64) ENGINE = MergeTree ORDER BY version";

/// The time limit of a step, which may read the whole table.
const STEP_TIMEOUT: Duration = Duration::from_mins(10);

/// The tables whose rows end, each with its rule in the form in which ClickHouse repeats it. A gap
/// may last until a minute that a date of ClickHouse cannot name.
pub(crate) const ROW_ENDS: [(&str, &str); 2] = [
    (
        "access_log",
        "toDateTime(intDiv(ts_ms, 1000)) + toIntervalDay",
    ),
    (
        "slugline_gap",
        "toDateTime(least(greatest(until_minute, 0), 71000000) * 60) + toIntervalDay",
    ),
];

/// The number of days after which ClickHouse deletes rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Retention {
    /// The service sets it; `None` keeps rows for good.
    Days(Option<NonZeroU32>),
    /// A command beside the service leaves it.
    AsItIs,
}

impl Retention {
    /// Creates missing tables, and sets the retention.
    pub(crate) async fn prepare(self, client: &Client) -> Result<(), ClickHouseError> {
        match self {
            Self::Days(days) => prepare(client, days).await,
            Self::AsItIs => create(client).await,
        }
    }
}

/// Creates missing tables, and sets the number of days after which ClickHouse
/// deletes rows.
pub(crate) async fn prepare(
    client: &Client,
    retention_days: Option<NonZeroU32>,
) -> Result<(), ClickHouseError> {
    create(client).await?;
    retain(client, retention_days).await
}

/// Creates missing tables.
async fn create(client: &Client) -> Result<(), ClickHouseError> {
    let database = client.target().database();
    if count(
        &client.outside(),
        &format!(
            "SELECT count() FROM system.databases WHERE name = {}",
            sql::text(database)
        ),
    )
    .await?
        == 0
    {
        let create = format!("CREATE DATABASE IF NOT EXISTS {database}");
        client.outside().run(&create, client.timeout).await?;
    }
    client.run(VERSIONS, client.timeout).await?;
    let done = applied(client).await?;
    for (number, step) in (1_u64..).zip(STEPS) {
        let fingerprint = fingerprint(step);
        let mut found = done.iter().filter(|(version, _)| *version == number);
        match found.next() {
            Some((_, found)) if *found == fingerprint => continue,
            Some(_) => return Err(earlier(client)),
            None => {}
        }
        for statement in step.split(END).filter(|text| !text.trim().is_empty()) {
            client.run(statement, STEP_TIMEOUT).await?;
        }
        if number == 1 {
            add_totals(client).await?;
        }
        let note = format!(
            "INSERT INTO slugline_schema (version, fingerprint) SELECT {number}, {fingerprint}"
        );
        client.run(&note, client.timeout).await?;
    }
    Ok(())
}

/// The steps that the database has, with their fingerprints.
async fn applied(client: &Client) -> Result<Vec<(u64, u64)>, ClickHouseError> {
    let sql = "SELECT toUInt64(version), fingerprint FROM slugline_schema";
    let read = |row: &mut Cursor<'_>| Ok((row.u64()?, row.u64()?));
    match client.rows(sql, client.timeout, read).await {
        // Builds before the first release kept no fingerprints.
        Err(error) if error.is_about_an_unknown_column() => Err(earlier(client)),
        applied => applied,
    }
}

fn earlier(client: &Client) -> ClickHouseError {
    ClickHouseError::Earlier {
        database: client.target().database().to_owned(),
    }
}

fn fingerprint(step: &str) -> u64 {
    let digest = Sha256::new().chain_update(step);
    let digest = <[u8; 32]>::from(digest.chain_update(totals::creation()).finalize());
    let (first, _) = digest.split_first_chunk().expect("it is longer");
    u64::from_be_bytes(*first)
}

/// Adds the projections. Other engines than `MergeTree`, such as `Distributed`, have none, and old
/// versions do not know the words.
async fn add_totals(client: &Client) -> Result<(), ClickHouseError> {
    match client.run(&totals::creation(), client.timeout).await {
        Err(error) if error.is_about_the_statement() => {
            let error: &(dyn StdError + 'static) = &error;
            tracing::info!(
                error,
                "ClickHouse keeps no totals of days; questions scan visits"
            );
            Ok(())
        }
        added => added,
    }
}

/// Changes the retention of rows where a table has another one. A rule of another form is the
/// operator's own, and stays unless days are set.
async fn retain(client: &Client, days: Option<NonZeroU32>) -> Result<(), ClickHouseError> {
    let tables = format!(
        "SELECT name, engine, engine_full FROM system.tables WHERE database = {}",
        sql::text(client.target().database())
    );
    let read = |row: &mut Cursor<'_>| Ok((row.text()?, row.text()?, row.text()?));
    let tables = client.rows(&tables, client.timeout, read).await?;
    for (table, end) in ROW_ENDS {
        let change = tables
            .iter()
            // Other engines, such as `Distributed`, store no rows themselves.
            .filter(|(name, engine, _)| name == table && engine.ends_with("MergeTree"))
            .find_map(|(_, _, definition)| change_of_row_end(end, definition, days));
        if let Some(change) = change {
            tracing::info!(table, days, "the retention in ClickHouse changes");
            let sql = format!("ALTER TABLE {table} {change}");
            client.run(&sql, client.timeout).await?;
        }
    }
    Ok(())
}

fn change_of_row_end(end: &str, definition: &str, days: Option<NonZeroU32>) -> Option<String> {
    match days {
        Some(days) => {
            let end = format!("{end}({days})");
            (!definition.contains(&end)).then(|| format!("MODIFY TTL {end}"))
        }
        None => definition.contains(end).then(|| "REMOVE TTL".to_owned()),
    }
}

async fn count(client: &Client, sql: &str) -> Result<u64, ClickHouseError> {
    let rows = client.rows(sql, client.timeout, number).await?;
    Ok(rows.first().copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row_binary;

    #[test]
    fn the_table_of_visits_has_every_column_that_rows_have() {
        let (table, _) = STEPS[0].split_once(END).unwrap();
        for column in row_binary::columns().split(", ") {
            assert!(table.contains(&format!("    {column} ")), "{column}");
        }
    }

    #[test]
    fn retention_is_changed_only_where_it_differs() {
        let table = "MergeTree ORDER BY link_id TTL \
                     toDateTime(intDiv(ts_ms, 1000)) + toIntervalDay(90) SETTINGS x = 1";
        let plain = "MergeTree ORDER BY link_id SETTINGS x = 1";
        let others = "MergeTree ORDER BY link_id TTL ts + toIntervalMonth(3)";
        let days = NonZeroU32::new;
        let [(_, end), _] = ROW_ENDS;
        assert_eq!(change_of_row_end(end, table, days(90)), None);
        assert_eq!(change_of_row_end(end, plain, None), None);
        assert_eq!(change_of_row_end(end, others, None), None);
        assert_eq!(
            change_of_row_end(end, table, None).as_deref(),
            Some("REMOVE TTL")
        );
        for definition in [table, plain, others] {
            let change = change_of_row_end(end, definition, days(9)).unwrap();
            assert_eq!(change, format!("MODIFY TTL {end}(9)"));
        }
    }
}
