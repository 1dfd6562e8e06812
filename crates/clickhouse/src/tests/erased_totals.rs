//! Totals of erased visits.

use std::{path::Path, sync::Arc};

use rstest::rstest;
use slugline_analytics::{
    Recorder,
    row::{Row, Target},
};
use slugline_domain::{Dimension, Erasure, LinkId, ports::VisitEraser};
use slugline_testkit::ClickHouseEngine::Library;

use super::{
    breaking_wire::{
        At, BreakingWire,
        Fault::{self, LosesAnswer, LosesRequest},
    },
    counted::{Counted, all, two_days, visit},
    erasing::orders,
    recording::{eventually, open},
};
use crate::open::ClickHouseOptions;

/// Two days with totals, which also name a link that will be erased.
async fn with_link_to_erase() -> Counted {
    let mut log = two_days().await;
    let target = Target {
        link_id: "gone-1",
        slug: "gone",
        url: "https://gone.example/",
        protection: "",
    };
    let gone = |visitor| Row {
        target,
        ..visit(20_001, visitor, "gone.example")
    };
    log.asked.insert(&[gone(7), gone(8), gone(9)]).await;
    log.count_days().await;
    assert!(log.number(NAMED).await > 0);
    log
}

/// The number of totals that name the link.
const NAMED: &str = "SELECT count() FROM slugline_day_value WHERE value LIKE '%gone%'";

/// Another node, with a spool in this folder.
async fn node(log: &Counted, folder: &Path) -> (Recorder, Arc<BreakingWire>) {
    let wire = Arc::new(BreakingWire::to(Library));
    let target = log.asked.client().target().clone();
    let options = ClickHouseOptions::new(target, wire.clone(), folder.join("spool.db"));
    let (recorder, _) = open(options).await.unwrap();
    (recorder, wire)
}

#[tokio::test]
async fn values_of_a_count_that_was_interrupted_are_erased_too() {
    let log = with_link_to_erase().await;
    log.run("TRUNCATE TABLE slugline_day").await;
    let folder = tempfile::tempdir().unwrap();
    let (recorder, _) = node(&log, folder.path()).await;
    let link = LinkId::parse("gone-1").unwrap();
    while recorder.erase(&link).await.unwrap() != Erasure::Done {}
    assert_eq!(log.number(NAMED).await, 0);
}

#[rstest]
#[tokio::test]
async fn an_erasure_ends_after_the_totals_that_name_its_visits(
    #[values(LosesRequest, LosesAnswer)] fault: Fault,
    #[values(
        "slugline_day_begun UPDATE",
        "slugline_day DELETE",
        "slugline_day_value DELETE"
    )]
    change: &str,
) {
    let log = with_link_to_erase().await;
    let folder = tempfile::tempdir().unwrap();
    let (recorder, wire) = node(&log, folder.path()).await;
    wire.break_at(fault, At::Each(format!("ALTER TABLE {change}")));
    let link = LinkId::parse("gone-1").unwrap();
    for _ in 0..2 {
        let erased = recorder.erase(&link).await.unwrap();
        if erased == Erasure::Done {
            // ClickHouse had removed them.
            assert_eq!(fault, LosesAnswer);
            assert_eq!(log.number(NAMED).await, 0);
        } else {
            assert_eq!(orders(folder.path()), 1);
        }
    }
    assert!(wire.breaks() > 0);
    assert_eq!(log.counters(all()).await, (4, 3, 2));
    assert_eq!(log.visits_by(Dimension::Slug).await, 4);
    wire.mend();
    eventually("no order", async || orders(folder.path()) == 0).await;
    assert_eq!(log.number(NAMED).await, 0);
    assert_eq!(log.counters(all()).await, (4, 3, 2));
}
