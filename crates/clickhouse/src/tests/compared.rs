//! Comparisons of the visitors of days, when visits go and come back.

use super::counted::{Counted, all, visit};

#[tokio::test]
async fn a_day_that_comes_to_have_its_former_visits_again_is_compared_again() {
    let mut log = Counted::new().await;
    // Replicated tables remember the tokens of insertions, as this one does now.
    let window = "non_replicated_deduplication_window = 100";
    log.run(&format!(
        "ALTER TABLE slugline_day_apart MODIFY SETTING {window}"
    ))
    .await;
    log.asked
        .insert(&[visit(20_000, 1, ""), visit(20_001, 2, "")])
        .await;
    log.count_days().await;
    log.asked.insert(&[visit(20_000, 3, "")]).await;
    log.count_days().await;
    log.run("ALTER TABLE access_log DELETE WHERE visitor = 3")
        .await;
    log.count_days().await;
    log.spoil_totals().await;
    // Neither day is scanned.
    assert_eq!(log.counters(all()).await, (20, 2, 0));
}

#[tokio::test]
async fn a_day_that_was_away_while_others_were_compared_is_compared_when_it_is_back() {
    let mut log = Counted::new().await;
    // The days are in different months.
    log.asked
        .insert(&[visit(20_000, 1, ""), visit(20_040, 2, "")])
        .await;
    log.count_days().await;
    log.run("ALTER TABLE access_log DETACH PARTITION 202410")
        .await;
    log.asked.insert(&[visit(20_040, 1, "")]).await;
    log.count_days().await;
    log.run("ALTER TABLE access_log ATTACH PARTITION 202410")
        .await;
    assert_eq!(log.counters(all()).await, (3, 2, 0));
    log.count_days().await;
    assert_eq!(log.counters(all()).await, (3, 2, 0));
}
