//! Day totals when requests or answers are lost.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use slugline_analytics::tally::Tally;
use slugline_domain::{
    Bots, Choice, CountersQuery, Dimension, LinkId, MetricsQuery, RowLimit, TimeUnit, ViewsQuery,
    VisitFilter, ZoneOffsets,
};
use slugline_testkit::{
    ClickHouseEngine::Library,
    visit_log_contract::{Party, Question, ask},
};

use super::{
    breaking_wire::{
        At, BreakingWire,
        Fault::{Hangs, LosesAnswer, LosesRequest},
    },
    counted::{Counted, all, two_days, upkeep, visit},
};
use crate::{
    client::Client,
    days::{Age, MOMENTS, Plans, Ready, Upkeep, remove_stale},
    log::ClickHouseLog,
    target::ClickHouseTarget,
};

const TIMEOUT: Duration = Duration::from_mins(1);

/// The kinds of statements that change totals.
const CHANGES: [&str; 8] = [
    "ALTER TABLE slugline_day DELETE",
    "ALTER TABLE slugline_day_begun DELETE",
    "ALTER TABLE slugline_day_begun UPDATE",
    "ALTER TABLE slugline_day_value DELETE",
    "INSERT INTO slugline_day ",
    "INSERT INTO slugline_day_apart ",
    "INSERT INTO slugline_day_begun ",
    "INSERT INTO slugline_day_value ",
];

/// A node with a wire of its own.
pub(crate) fn node(target: ClickHouseTarget, seed: u64) -> (Upkeep, Arc<BreakingWire>) {
    let wire = Arc::new(BreakingWire::to(Library));
    let client = Client::new(target, wire.clone());
    (upkeep(&client, Ready::default(), seed), wire)
}

impl Counted {
    pub(crate) fn target(&self) -> ClickHouseTarget {
        self.asked.client().target().clone()
    }

    /// A visit comes late.
    pub(crate) async fn change(&mut self) {
        let late = visit(20_000, 9, "late.example");
        self.asked.insert(&[late]).await;
    }

    /// The visit goes, and its day has its former visits again.
    pub(crate) async fn change_back(&self) {
        self.run("ALTER TABLE access_log DELETE WHERE visitor = 9")
            .await;
    }

    /// Compares answers with those of a log that takes no totals.
    pub(crate) async fn expect_right_answers(&self, when: &str) {
        let client = self.asked.client().clone();
        let scans = ClickHouseLog::new(client, TIMEOUT, Arc::new(Tally::default()));
        for question in questions() {
            let found = ask(self.asked.log(), &question).await.unwrap();
            let expected = ask(&scans, &question).await.unwrap();
            assert_eq!(found, expected, "{question:?} {when}");
        }
    }

    /// Expects that questions take both days, visitors too.
    pub(crate) async fn expect_totals(&self, when: &str) {
        let (client, ready) = (self.asked.client().clone(), Ready::new(true.into()));
        let plans = Plans::new(client, TIMEOUT, ready, Duration::ZERO);
        let filter = all();
        let taken = plans.take((&filter, MOMENTS), Age::New, |day| Some(day.day));
        assert_eq!(taken.await.0, [20_000, 20_001], "{when}");
    }
}

fn questions() -> Vec<Question> {
    let of_link = VisitFilter {
        links: Choice::any_of([LinkId::parse("docs-1").unwrap()]),
        ..all()
    };
    let people = VisitFilter {
        values: vec![Bots::Exclude.condition().unwrap()],
        ..all()
    };
    let counters = [all(), of_link, people].map(|filter| {
        Question::Counters(CountersQuery {
            filter,
            per_link: false,
        })
    });
    let hosts = Question::Metrics(MetricsQuery {
        filter: all(),
        dimension: Dimension::Referer,
        limit: RowLimit::DEFAULT,
        visitors: true,
    });
    let views = Question::Views(ViewsQuery {
        filter: all(),
        unit: TimeUnit::Hour,
        zone: ZoneOffsets::default(),
    });
    counters.into_iter().chain([hosts, views]).collect()
}

#[tokio::test]
async fn a_fault_at_any_change_makes_no_answer_wrong_and_the_next_rounds_count() {
    let mut log = two_days().await;
    remember_tokens(&log).await;
    let (mut upkeep, wire) = node(log.target(), 7);
    upkeep.round().await.unwrap();
    let mut broke_at = BTreeSet::new();
    for before in 0.. {
        // A fault at a statement that only reads leaves what the change before it has left.
        let mut broke = false;
        for fault in [LosesRequest, LosesAnswer] {
            let when = format!("if the wire {fault:?} after {before} changes");
            age_counts(&log).await;
            log.change().await;
            wire.break_at(fault, At::Change(before));
            for _ in 0..2 {
                let _ = upkeep.round().await;
            }
            let statements = wire.mend();
            broke |= !statements.is_empty();
            broke_at.extend(statements);
            log.expect_right_answers(&when).await;
            log.change_back().await;
            log.expect_right_answers(&when).await;
            for _ in 0..2 {
                upkeep.round().await.unwrap();
            }
            log.expect_right_answers(&when).await;
            log.expect_totals(&when).await;
        }
        if !broke {
            break;
        }
    }
    for change in CHANGES {
        let found = broke_at
            .iter()
            .any(|statement| statement.starts_with(change));
        assert!(found, "no fault at {change}");
    }
    expect_no_leftovers(&mut log).await;
}

#[tokio::test]
async fn a_count_whose_values_were_removed_meanwhile_is_void() {
    let mut log = two_days().await;
    let (mut upkeep, wire) = node(log.target(), 7);
    log.change().await;
    upkeep.round().await.unwrap();
    wire.break_at(
        Hangs,
        At::Each("INSERT INTO slugline_day_value ".to_owned()),
    );
    let client = log.asked.client().clone();
    let meanwhile = async {
        while wire.breaks() == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        log.run("ALTER TABLE access_log DETACH PARTITION 202410")
            .await;
        remove_stale(&client).await.unwrap();
        log.run("ALTER TABLE access_log ATTACH PARTITION 202410")
            .await;
        wire.mend();
    };
    let (counted, ()) = tokio::join!(upkeep.round(), meanwhile);
    counted.unwrap();
    log.expect_right_answers("after the day was away").await;
    log.count_days().await;
    log.expect_totals("after the day was away").await;
}

/// Insertions with the same token count once, as in replicated tables.
pub(crate) async fn remember_tokens(log: &Counted) {
    for table in ["", "_apart", "_begun", "_value"] {
        let sql = format!(
            "ALTER TABLE slugline_day{table} MODIFY SETTING \
             non_replicated_deduplication_window = 100"
        );
        log.run(&sql).await;
    }
}

/// Lets a day pass since the counts so far.
pub(crate) async fn age_counts(log: &Counted) {
    log.run(
        "ALTER TABLE slugline_day_begun UPDATE begun_at = begun_at - toIntervalHour(25) WHERE 1",
    )
    .await;
}

/// Expects that nothing is left of interrupted counts after a day.
pub(crate) async fn expect_no_leftovers(log: &mut Counted) {
    age_counts(log).await;
    log.upkeep.round().await.unwrap();
    for table in ["", "_begun", "_value"] {
        let sql = format!("SELECT uniqExact(count) FROM slugline_day{table}");
        assert_eq!(log.number(&sql).await, 2, "{sql}");
    }
}
