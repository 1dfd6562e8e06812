//! Tests of questions that no client waits for.

use std::time::Duration;

use slugline_testkit::ClickHouseEngine::Server;

use super::address::Address;
use crate::row_binary::Cursor;

#[tokio::test]
async fn clickhouse_stops_working_on_a_question_that_nobody_waits_for() {
    const LONG: Duration = Duration::from_hours(1);
    let client = Address::shared(Server).client().outside();
    let read = |row: &mut Cursor<'_>| row.u64();
    let asking = client.clone();
    let asked = tokio::spawn(async move {
        let endless = "SELECT count() FROM system.numbers WHERE number != 4711";
        asking.rows(endless, LONG, read).await
    });
    let running = async || {
        let sql = "SELECT count() FROM system.processes WHERE query LIKE '%= 47' || '11%'";
        client.rows(sql, LONG, read).await.unwrap()[0]
    };
    while running().await == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    asked.abort();
    while running().await > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
