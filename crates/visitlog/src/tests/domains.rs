//! Compares answers about domains from day totals with those of scans.

use proptest::{collection::vec, prelude::*, sample::select};
use slugline_analytics::{
    row::{Row, Target},
    utc::MILLIS_PER_DAY,
};
use slugline_domain::{
    Bots, Choice, CountersQuery, Dimension, LinkId, MetricsQuery, RowLimit, VisitFilter,
    ports::VisitLog,
};

use super::{
    days::Counted,
    rows::row,
    segments::{Visit, answers_about, destroy_rows, row_of, visit},
};
use crate::{file::erasure, log::EmbeddedLog};

const KEYS: [&str; 4] = [
    "docs",
    "go.example/docs",
    "go.example/sale",
    "b.example/docs",
];
const DOMAINS: [&str; 4] = ["", "go.example", "b.example", "none.example"];

fn of_key(key: &'static str, row: Row<'static>) -> Row<'static> {
    let target = Target {
        slug: key,
        ..row.target
    };
    Row { target, ..row }
}

fn only(domain: &str) -> Choice<String> {
    Choice::any_of([domain.to_owned()])
}

/// The answers about each domain, and about people and bots of one.
async fn all_answers(log: &EmbeddedLog) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for domain in DOMAINS {
        let conditions = vec![(Dimension::Domain, only(domain))];
        all.push(answers_about(log, conditions).await);
    }
    for bots in [Bots::Exclude, Bots::Only] {
        // As a token that is bound to a domain asks about all of them but another one.
        let bound = [only("go.example"), Choice::none_of([String::new()])];
        let mut conditions: Vec<_> = bound.map(|choice| (Dimension::Domain, choice)).into();
        conditions.extend(bots.condition());
        all.push(answers_about(log, conditions).await);
    }
    all
}

/// Tells whether totals alone give the answers of a scan.
async fn totals_equal_scans(visits: &[(Visit, &'static str)]) -> Result<(), TestCaseError> {
    let mut log = Counted::new(true);
    let rows = visits.iter().map(|(visit, key)| of_key(key, row_of(visit)));
    log.insert(&rows.collect::<Vec<Row<'_>>>());
    log.seal_all();
    let scanned = all_answers(&log.log).await;
    log.count_days(usize::MAX);
    destroy_rows(&log);
    for (found, expected) in all_answers(&log.log).await.iter().zip(&scanned) {
        for (found, expected) in found.iter().zip(expected) {
            prop_assert_eq!(found, expected);
        }
    }
    prop_assert_eq!(log.log.troubles(), []);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]
    #[test]
    fn totals_of_domains_give_the_answers_of_scans(
        // Fewer than the smallest part of a day that has totals.
        visits in vec((visit(), select(&KEYS[..])), 1..60)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(totals_equal_scans(&visits))?;
    }
}

/// The visits that meet a condition on domains, and whether they are from totals.
async fn visits_of(log: &EmbeddedLog, domains: Choice<String>) -> (u64, bool) {
    let filter = VisitFilter::default().with_values(vec![(Dimension::Domain, domains)]);
    let report = log.counters(&CountersQuery::new(filter)).await.unwrap();
    (report.rows[0].counters.visits, report.sampling.damaged == 0)
}

fn rows_of(day: i64, key: &'static str, visitors: std::ops::Range<u64>) -> Vec<Row<'static>> {
    let row = |visitor: u64| {
        let at = day * MILLIS_PER_DAY + i64::try_from(visitor).unwrap();
        of_key(key, row(at, visitor))
    };
    visitors.map(row).collect()
}

#[tokio::test]
async fn a_small_domain_is_scanned_and_the_others_of_its_day_are_not() {
    let mut log = Counted::new(true);
    log.insert(&rows_of(0, "docs", 0..800));
    log.insert(&rows_of(0, "go.example/docs", 1_000..1_100));
    log.insert(&rows_of(0, "small.example/docs", 2_000..2_002));
    log.seal_all();
    log.count_days(usize::MAX);
    let both = || Choice::any_of(["", "go.example"].map(str::to_owned));
    assert_eq!(visits_of(&log.log, both()).await, (900, true));
    destroy_rows(&log);
    assert_eq!(visits_of(&log.log, only("")).await, (800, true));
    assert_eq!(visits_of(&log.log, only("go.example")).await, (100, true));
    assert_eq!(visits_of(&log.log, Choice::any_of([])).await, (0, true));
    for scanned in [
        only("small.example"),
        only("none.example"),
        both(),
        Choice::none_of(["go.example".to_owned()]),
    ] {
        assert!(!visits_of(&log.log, scanned.clone()).await.1, "{scanned:?}");
    }
}

#[tokio::test]
async fn a_day_of_the_default_domain_stores_nothing_more_and_answers_about_each_domain() {
    let mut log = Counted::new(true);
    log.insert(&rows_of(0, "docs", 0..20));
    log.seal_all();
    log.count_days(usize::MAX);
    let (records, names): (i64, i64) = log
        .db
        .query_row(
            "SELECT count(*), sum(instr(directory, CAST('domain' AS BLOB))) FROM day_totals",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert_eq!((records, names), (3, 0));
    destroy_rows(&log);
    assert_eq!(visits_of(&log.log, only("")).await, (20, true));
    assert_eq!(visits_of(&log.log, only("go.example")).await, (0, true));
    let but_one = Choice::none_of(["go.example".to_owned()]);
    assert_eq!(visits_of(&log.log, but_one).await, (20, true));
    let query = MetricsQuery::new(VisitFilter::default(), Dimension::Domain, RowLimit::DEFAULT);
    let report = log.log.metrics(&query.with_visitors(true)).await.unwrap();
    let rows = report.rows.into_iter();
    let rows: Vec<_> = rows
        .map(|row| (row.name, row.count, row.visitors))
        .collect();
    assert_eq!(rows, [(String::new(), 20, Some(20))]);
}

#[tokio::test]
async fn a_late_visit_ends_the_totals_of_every_domain_of_its_day() {
    let mut log = Counted::new(true);
    log.insert(&rows_of(0, "docs", 0..20));
    log.insert(&rows_of(0, "go.example/docs", 100..130));
    log.seal_all();
    log.count_days(usize::MAX);
    log.insert(&rows_of(0, "b.example/docs", 200..201));
    for sealed in [false, true] {
        if sealed {
            log.seal_all();
            let left: i64 = log
                .db
                .query_row("SELECT count(*) FROM day_totals", [], |row| row.get(0))
                .unwrap();
            assert_eq!(left, 0);
        }
        assert_eq!(visits_of(&log.log, only("")).await, (20, true));
        assert_eq!(visits_of(&log.log, only("go.example")).await, (30, true));
        assert_eq!(visits_of(&log.log, only("b.example")).await, (1, true));
    }
}

#[tokio::test]
async fn erased_visits_leave_the_answers_about_their_domain() {
    let mut log = Counted::new(true);
    log.insert(&rows_of(0, "docs", 0..20));
    let gone = |row: Row<'static>| Row {
        target: Target {
            link_id: "gone",
            ..row.target
        },
        ..row
    };
    let of_domain = rows_of(0, "go.example/docs", 100..130);
    log.insert(&of_domain);
    log.insert(
        &rows_of(0, "go.example/gone", 200..205)
            .into_iter()
            .map(gone)
            .collect::<Vec<_>>(),
    );
    log.seal_all();
    log.count_days(usize::MAX);
    assert_eq!(visits_of(&log.log, only("go.example")).await, (35, true));
    erasure::mark(&log.db, &LinkId::parse("gone").unwrap()).unwrap();
    assert_eq!(visits_of(&log.log, only("go.example")).await, (30, true));
    assert_eq!(visits_of(&log.log, only("")).await, (20, true));
}
