//! The tables in ClickHouse. The first node of a new version brings them up to
//! date.
//!
//! Columns of texts that the table does not have yet are added by the table of columns; steps
//! do the rest. Each may run twice, even at the same time, so nodes need no lock. A step only adds:
//! nodes of the previous version continue to write and to query, since every statement names
//! its columns. The service uses tables that an operator has created, such as replicated ones,
//! unchanged.

use std::{error::Error as StdError, num::NonZeroU32, time::Duration};

use slugline_analytics::columns::visit_columns;

use crate::{
    client::Client,
    error::ClickHouseError,
    row_binary::{Cursor, number, text},
    sql, totals,
};

/// The steps in their order. The number of a step is its position, starting
/// with 1.
const STEPS: [&str; 5] = [
    include_str!("schema.sql"),
    include_str!("salts.sql"),
    include_str!("erasure.sql"),
    include_str!("gap.sql"),
    include_str!("imported.sql"),
];

/// The table of applied steps.
const VERSIONS: &str = "CREATE TABLE IF NOT EXISTS slugline_schema (version UInt32) ENGINE = MergeTree ORDER BY version";

/// The time limit of a step, which may read the whole table.
const STEP_TIMEOUT: Duration = Duration::from_mins(10);

/// The time limit of one statement.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);

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
        client.outside().run(&create, TIMEOUT).await?;
    }
    client.run(VERSIONS, TIMEOUT).await?;
    let done = count(client, "SELECT toUInt64(max(version)) FROM slugline_schema").await?;
    for (number, step) in (1_u64..).zip(STEPS) {
        if number > done {
            client.run(step, STEP_TIMEOUT).await?;
            let note = format!("INSERT INTO slugline_schema (version) SELECT {number}");
            client.run(&note, TIMEOUT).await?;
        }
    }
    add_columns(client).await?;
    add_totals(client).await
}

/// Adds the projections. Other engines than `MergeTree`, such as `Distributed`, have none, and old
/// versions do not know the words.
async fn add_totals(client: &Client) -> Result<(), ClickHouseError> {
    match client.run(&totals::creation(), TIMEOUT).await {
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

/// Adds the columns of texts that the table does not have yet. That changes no rows: the text of an
/// older visit is empty, which means unknown.
async fn add_columns(client: &Client) -> Result<(), ClickHouseError> {
    let there = format!(
        "SELECT name FROM system.columns WHERE database = {} AND table = 'access_log'",
        sql::text(client.target().database())
    );
    let there = client.rows(&there, TIMEOUT, text).await?;
    for column in visit_columns() {
        let column = column.name;
        if !there.iter().any(|name| name == column) {
            tracing::info!(column, "the table of visits in ClickHouse gets a column");
            let sql = format!(
                "ALTER TABLE access_log ADD COLUMN IF NOT EXISTS {column} LowCardinality(String)"
            );
            client.run(&sql, TIMEOUT).await?;
        }
    }
    Ok(())
}

/// Changes the retention of rows where a table has another one. A rule of another form is the
/// operator's own, and stays unless days are set.
async fn retain(client: &Client, days: Option<NonZeroU32>) -> Result<(), ClickHouseError> {
    let tables = format!(
        "SELECT name, engine, engine_full FROM system.tables WHERE database = {}",
        sql::text(client.target().database())
    );
    let read = |row: &mut Cursor<'_>| Ok((row.text()?, row.text()?, row.text()?));
    let tables = client.rows(&tables, TIMEOUT, read).await?;
    for (table, end) in ROW_ENDS {
        let change = tables
            .iter()
            // Other engines, such as `Distributed`, store no rows themselves.
            .filter(|(name, engine, _)| name == table && engine.ends_with("MergeTree"))
            .find_map(|(_, _, definition)| change_of_row_end(end, definition, days));
        if let Some(change) = change {
            tracing::info!(table, days, "the retention in ClickHouse changes");
            let sql = format!("ALTER TABLE {table} {change}");
            client.run(&sql, TIMEOUT).await?;
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
    let rows = client.rows(sql, TIMEOUT, number).await?;
    Ok(rows.first().copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

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
