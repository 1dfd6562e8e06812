//! Answers from day totals, and the events that make totals invalid.

use std::{
    num::NonZeroU32,
    time::{Duration, SystemTime},
};

use slugline_analytics::row::{Row, Target};
use slugline_domain::{Bots, Choice, Dimension, LinkId, UnixMillis, VisitFilter};
use slugline_testkit::visit_log_contract::agrees_with_sql;

use super::counted::{Counted, all, two_days, upkeep, visit};
use crate::{
    client::Client,
    days::{Ready, mix_days, remove_stale},
    row_binary, schema,
};

const TIMEOUT: Duration = Duration::from_mins(1);

#[tokio::test]
async fn every_answer_with_totals_and_without_is_that_of_plain_sql() {
    let mut engine = Counted::new().await;
    agrees_with_sql(&mut engine, 11).await;
    assert!(engine.counted().await > 5);
}

#[tokio::test]
async fn visits_of_days_with_totals_are_not_read() {
    let log = two_days().await;
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    log.spoil_totals().await;
    assert_eq!(log.counters(all()).await, (40, 3, 2));
    let expected = [("a.example", 20, 2), ("", 10, 1), ("b.example", 10, 1)];
    let expected =
        expected.map(|(host, visits, visitors)| (host.to_owned(), visits, Some(visitors)));
    assert_eq!(log.values(Dimension::Referer).await, expected);
    let link = VisitFilter {
        links: Choice::any_of([LinkId::parse("docs-1").unwrap()]),
        ..all()
    };
    // The link has totals of its own only on the day with three visits.
    assert_eq!(log.counters(link).await.0, 31);
    let people = VisitFilter {
        values: vec![Bots::Exclude.condition().unwrap()],
        ..all()
    };
    assert_eq!(log.counters(people).await, (40, 3, 2));
}

#[tokio::test]
async fn a_late_visit_counts_at_once_and_its_day_is_counted_again() {
    let mut log = two_days().await;
    log.asked.insert(&[visit(20_000, 9, "c.example")]).await;
    assert_eq!(log.counters(all()).await, (5, 4, 3));
    log.spoil_totals().await;
    // The late visitor may be one of the other day, which only a comparison can tell.
    assert_eq!(log.counters(all()).await, (5, 4, 3));
    assert_eq!(log.visits_by(Dimension::Referer).await, 14);
    log.count_days().await;
    log.upkeep.round().await.unwrap();
    assert_eq!(log.counted().await, 2);
    // The count of before is gone.
    assert_eq!(
        log.number("SELECT uniqExact(count) FROM slugline_day")
            .await,
        2
    );
    assert_eq!(
        log.number("SELECT uniqExact(count) FROM slugline_day_value")
            .await,
        2
    );
    log.spoil_totals().await;
    assert!(log.counters(all()).await.0 > 40);
}

#[tokio::test]
async fn a_day_that_grows_is_counted_when_it_stays_the_same() {
    let mut log = Counted::new().await;
    for visitor in 0..4 {
        log.asked.insert(&[visit(20_000, visitor, "")]).await;
        log.upkeep.round().await.unwrap();
        assert_eq!(log.counted().await, 0);
    }
    log.upkeep.round().await.unwrap();
    assert_eq!(log.counted().await, 1);
}

#[tokio::test]
async fn erased_visits_leave_the_answers_and_the_totals_that_named_them() {
    let mut log = two_days().await;
    let target = Target {
        link_id: "gone-1",
        slug: "gone",
        url: "https://gone.example/",
        protection: "",
    };
    let gone = Row {
        target,
        ..visit(20_001, 7, "gone.example")
    };
    log.asked.insert(&[gone]).await;
    log.count_days().await;
    let named = "SELECT count() FROM slugline_day_value WHERE value LIKE '%gone%'";
    assert!(log.number(named).await > 0);
    log.run("ALTER TABLE access_log DELETE WHERE link_id = 'gone-1'")
        .await;
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    remove_stale(log.asked.client()).await.unwrap();
    assert_eq!(log.number(named).await, 0);
    assert_eq!(log.counted().await, 1);
}

#[tokio::test]
async fn totals_of_visits_beyond_their_retention_are_not_taken() {
    let mut log = Counted::new().await;
    let today =
        i64::try_from(SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs()).unwrap() / 86_400;
    log.asked
        .insert(&[visit(20_000, 1, "a.example"), visit(today - 10, 2, "")])
        .await;
    log.count_days().await;
    log.spoil_totals().await;
    assert_eq!(log.counters(all()).await, (20, 2, 1));
    let client = log.asked.client();
    schema::prepare(client, NonZeroU32::new(30)).await.unwrap();
    log.run("OPTIMIZE TABLE access_log FINAL").await;
    assert_eq!(log.counters(all()).await, (10, 1, 0));
    assert_eq!(log.visits_by(Dimension::Referer).await, 10);
    log.upkeep.round().await.unwrap();
    assert_eq!(log.counted().await, 1);
    let hosts = "SELECT count() FROM slugline_day_value WHERE value = 'a.example'";
    assert_eq!(log.number(hosts).await, 0);
}

#[tokio::test]
async fn visitors_of_imported_visits_are_scanned_until_all_days_were_compared() {
    let mut log = two_days().await;
    // Visitor 3 of the other day, imported under the same hash. The command notes it first.
    mix_days(log.asked.client(), 20_002).await.unwrap();
    let late = visit(20_002, 3, "");
    let bytes = row_binary::encode_imported(&late, UnixMillis::new(1));
    let columns = row_binary::columns(row_binary::format_of_imported()).unwrap();
    let into = format!("access_log ({columns})");
    let client = log.asked.client();
    client
        .insert(&into, "import", bytes, TIMEOUT)
        .await
        .unwrap();
    assert_eq!(log.counters(all()).await, (5, 3, 2));
    log.count_days().await;
    assert_eq!(log.counted().await, 3);
    assert_eq!(log.counters(all()).await, (5, 3, 2));
    // Only the day without a visitor of another day is taken; visits are taken from all.
    log.spoil_totals().await;
    assert_eq!(log.counters(all()).await, (32, 3, 2));
    assert_eq!(log.visits_by(Dimension::Referer).await, 50);
}

#[tokio::test]
async fn visitors_are_scanned_until_a_longer_salt_has_ended() {
    let mut log = two_days().await;
    log.spoil_totals().await;
    mix_days(log.asked.client(), 20_001).await.unwrap();
    assert_eq!(log.counters(all()).await, (40, 3, 2));
    // The salt has not ended, or its end has not been compared.
    mix_days(log.asked.client(), 20_002).await.unwrap();
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    assert_eq!(log.visits_by(Dimension::Referer).await, 40);
    log.asked
        .insert(&[visit(20_002, 3, "a.example"), visit(20_003, 4, "")])
        .await;
    log.count_days().await;
    assert_eq!(log.counters(all()).await, (33, 4, 2));
}

#[tokio::test]
async fn a_count_that_was_interrupted_is_no_count() {
    let mut log = two_days().await;
    let client = log.asked.client().clone();
    // As after a process that died before the last insertion.
    client
        .run("TRUNCATE TABLE slugline_day", TIMEOUT)
        .await
        .unwrap();
    log.spoil_totals().await;
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    assert_eq!(log.visits_by(Dimension::Referer).await, 4);
    log.count_days().await;
    assert_eq!(log.counted().await, 2);
    assert_eq!(log.visits_by(Dimension::Referer).await, 4);
}

#[tokio::test]
async fn totals_of_two_nodes_count_once() {
    let log = two_days().await;
    client_copies_counts(log.asked.client()).await;
    assert_eq!(
        log.number("SELECT uniqExact(count) FROM slugline_day")
            .await,
        4
    );
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    assert_eq!(log.visits_by(Dimension::Referer).await, 4);
}

/// Stores every count twice, under another number.
async fn client_copies_counts(client: &Client) {
    for table in ["slugline_day", "slugline_day_value"] {
        let sql = format!("INSERT INTO {table} SELECT * REPLACE (count + 1 AS count) FROM {table}");
        client.run(&sql, TIMEOUT).await.unwrap();
    }
}

#[tokio::test]
async fn a_table_from_before_there_were_totals_is_filled() {
    let mut log = two_days().await;
    let client = log.asked.client().clone();
    for before in [
        "ALTER TABLE access_log DROP PROJECTION slugline_day",
        "TRUNCATE TABLE slugline_day",
        "TRUNCATE TABLE slugline_day_apart",
    ] {
        client.run(before, TIMEOUT).await.unwrap();
    }
    // A node that has just started does not trust totals.
    let (ready, mut rounds) = (Ready::default(), 0);
    let mut upkeep = upkeep(&client, ready, 6);
    while log.counted().await < 2 {
        upkeep.round().await.unwrap();
        rounds += 1;
        assert!(rounds < 100, "the table is never filled");
    }
    log.spoil_totals().await;
    assert_eq!(log.counters(all()).await, (40, 3, 2));
    log.count_days().await;
}
