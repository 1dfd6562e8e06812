//! Comparisons of the visitors of days, when visits go and come back.

use std::sync::Arc;

use rstest::rstest;
use slugline_domain::{Dimension, UnixSeconds};
use slugline_testkit::{ClickHouseEngine::Library, FixedClock, SeededRandom};

use super::{
    breaking_wire::{
        At, BreakingWire,
        Fault::{self, LosesAnswer, LosesRequest},
    },
    counted::{Counted, all, two_days, visit},
    day_faults::{node, remember_tokens},
};
use crate::{history::History, open::ClickHouseOptions};

const NOTES: &str = "INSERT INTO slugline_day_apart ";

#[tokio::test]
async fn a_day_that_comes_to_have_its_former_visits_again_is_compared_again() {
    let mut log = Counted::new().await;
    remember_tokens(&log).await;
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

#[rstest]
#[tokio::test]
async fn a_comparison_without_an_answer_is_made_again(
    #[values(LosesRequest, LosesAnswer)] fault: Fault,
) {
    let mut log = Counted::new().await;
    log.asked
        .insert(&[visit(20_000, 1, ""), visit(20_001, 1, "")])
        .await;
    let (mut upkeep, wire) = node(log.target(), 7);
    wire.break_at(fault, At::Each(NOTES.to_owned()));
    for _ in 0..3 {
        let _ = upkeep.round().await;
        assert_eq!(log.counters(all()).await, (2, 1, 0));
    }
    assert!(!wire.mend().is_empty());
    for _ in 0..2 {
        upkeep.round().await.unwrap();
        assert_eq!(log.counters(all()).await, (2, 1, 0));
    }
    // Now there is nothing to do.
    wire.break_at(LosesRequest, At::Change(0));
    upkeep.round().await.unwrap();
    assert_eq!(wire.breaks(), 0);
    log.spoil_totals().await;
    assert_eq!(log.counters(all()).await, (2, 1, 0));
    assert_eq!(log.visits_by(Dimension::Referer).await, 20);
}

#[rstest]
#[tokio::test]
async fn an_import_does_not_begin_before_its_note_is_known_to_be_there(
    #[values(LosesRequest, LosesAnswer)] fault: Fault,
) {
    let mut log = two_days().await;
    remember_tokens(&log).await;
    let folder = tempfile::tempdir().unwrap();
    let wire = Arc::new(BreakingWire::to(Library));
    let spool = folder.path().join("spool.db");
    let options = ClickHouseOptions::new(log.target(), wire.clone(), spool);
    let import = async || {
        let clock = FixedClock::at(UnixSeconds::new(20_002 * 86_400).unwrap());
        let random = Arc::new(SeededRandom::new(3));
        History::open(options.clone(), Arc::new(clock), random).await
    };
    wire.break_at(fault, At::Each(NOTES.to_owned()));
    assert!(import().await.is_err());
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    wire.mend();
    let _history = import().await.unwrap();
    // A visitor of the other day, under the same hash.
    log.asked.insert(&[visit(20_002, 3, "")]).await;
    assert_eq!(log.counters(all()).await, (5, 3, 2));
    log.count_days().await;
    assert_eq!(log.counters(all()).await, (5, 3, 2));
    log.spoil_totals().await;
    assert_eq!(log.counters(all()).await, (32, 3, 2));
}
