//! Plans that stay in memory, while the visits and totals that they are about change.

use std::time::Duration;

use slugline_domain::Dimension;
use slugline_testkit::visit_log_contract::agrees_with_sql;

use super::counted::{Counted, all, two_days_in, visit};
use crate::days::mix_days;

const LONG: Duration = Duration::from_hours(1);

async fn two_days() -> Counted {
    two_days_in(Counted::keeping(LONG).await).await
}

#[tokio::test]
async fn every_answer_from_a_plan_in_memory_is_that_of_plain_sql() {
    let mut engine = Counted::keeping(LONG).await;
    agrees_with_sql(&mut engine, 12).await;
    assert!(engine.counted().await > 5);
}

#[tokio::test]
async fn a_plan_is_read_once() {
    let log = two_days().await;
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    // A new plan would read these visits.
    log.spoil_totals().await;
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    assert_eq!(log.visits_by(Dimension::Referer).await, 40);
}

#[tokio::test]
async fn a_late_visit_counts_at_once() {
    let mut log = two_days().await;
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    assert_eq!(log.visits_by(Dimension::Referer).await, 4);
    log.asked.insert(&[visit(20_000, 9, "c.example")]).await;
    assert_eq!(log.counters(all()).await, (5, 4, 3));
    assert_eq!(log.visits_by(Dimension::Referer).await, 5);
}

#[tokio::test]
async fn visits_that_leave_and_totals_with_them_do_not_stay_in_answers() {
    let log = two_days().await;
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    log.run("ALTER TABLE access_log DELETE WHERE visitor = 2")
        .await;
    assert_eq!(log.counters(all()).await, (3, 2, 1));
    log.run("ALTER TABLE slugline_day DELETE WHERE day = 20001")
        .await;
    log.run("ALTER TABLE slugline_day_value DELETE WHERE day = 20001")
        .await;
    assert_eq!(log.counters(all()).await, (3, 2, 1));
    assert_eq!(log.visits_by(Dimension::Referer).await, 3);
}

#[tokio::test]
async fn values_that_went_are_missed_although_their_day_is_the_same() {
    let log = two_days().await;
    assert_eq!(log.visits_by(Dimension::Referer).await, 4);
    log.run("ALTER TABLE slugline_day DELETE WHERE day = 20000")
        .await;
    log.run("ALTER TABLE slugline_day_value DELETE WHERE day = 20000")
        .await;
    assert_eq!(log.visits_by(Dimension::Referer).await, 4);
}

#[tokio::test]
async fn visitors_no_longer_add_up_once_a_note_says_so() {
    let log = two_days().await;
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    log.spoil_totals().await;
    mix_days(log.asked.client(), 20_002).await.unwrap();
    // The new plan has spoiled totals, and takes no day for visitors.
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    assert_eq!(log.visits_by(Dimension::Referer).await, 40);
}
