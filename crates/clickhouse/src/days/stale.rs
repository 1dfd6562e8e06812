//! Removes totals of days that have changed.

use super::{
    background::{self, is_one_of},
    begun,
};
use crate::{client::Client, error::ClickHouseError, row_binary::number, schema::TIMEOUT};

/// Removes the totals of days that have other visits now, or none, and what interrupted counts have
/// left.
///
/// The rows of days go before their values, because questions look for rows last.
pub(crate) async fn remove_stale(client: &Client) -> Result<(), ClickHouseError> {
    begun::make_void(client).await?;
    for table in ["slugline_day", "slugline_day_value"] {
        let left = format!(
            "SELECT DISTINCT count FROM {table} WHERE day IN ({}) AND count IN ({})",
            begun::void("day"),
            begun::void("count")
        );
        let left = client.rows(&left, TIMEOUT, number).await?;
        if !left.is_empty() {
            let delete = format!(
                "ALTER TABLE {table} DELETE WHERE {}",
                is_one_of("count", &left)
            );
            background::run(client, &delete).await?;
        }
    }
    begun::forget(client).await
}
