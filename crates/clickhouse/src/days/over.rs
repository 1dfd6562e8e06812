//! The days that are over, and what has been done for them.

use super::{
    apart::COMPARED,
    fingerprint::{Fingerprint, select},
};
use crate::{
    client::Client,
    error::ClickHouseError,
    row_binary::{Cursor, DecodeError},
    schema::TIMEOUT,
};

/// A day that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Over {
    pub(crate) fingerprint: Fingerprint,
    /// Its visits have been counted as they are.
    pub(crate) counted: bool,
    /// Its visitors have been compared with those of other days.
    pub(crate) compared: bool,
}

/// The days before one, the latest first.
pub(crate) async fn days_before(client: &Client, day: i64) -> Result<Vec<Over>, ClickHouseError> {
    days(client, &format!("day < {day}")).await
}

/// One day; `None` if it has no visits.
pub(crate) async fn day(client: &Client, day: i64) -> Result<Option<Over>, ClickHouseError> {
    let days = days(client, &format!("day = {day}")).await?;
    Ok(days.first().copied())
}

async fn days(client: &Client, condition: &str) -> Result<Vec<Over>, ClickHouseError> {
    let sql = format!(
        "SELECT toInt64(day), rows, hash, \
                (day, rows, hash) IN (SELECT day, rows, hash FROM slugline_day), \
                (day, rows, hash) IN (SELECT day, compared_rows, compared_hash FROM ({COMPARED})) \
         FROM ({}) WHERE {condition} ORDER BY day DESC",
        select()
    );
    let read = |row: &mut Cursor<'_>| -> Result<Over, DecodeError> {
        Ok(Over {
            fingerprint: Fingerprint {
                day: row.i64()?,
                rows: row.u64()?,
                hash: row.u64()?,
            },
            counted: row.u8()? > 0,
            compared: row.u8()? > 0,
        })
    };
    client.rows(&sql, TIMEOUT, read).await
}
