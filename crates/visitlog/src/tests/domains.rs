//! Domains in questions, with totals and without.

use slugline_analytics::{
    row::{Row, VisitedLink},
    utc::MILLIS_PER_DAY,
};
use slugline_domain::{Choice, Dimension, VisitFilter, ports::VisitLog};
use slugline_testkit::questions;

use super::{days::Counted, rows::row, segments::destroy_rows};
use crate::log::EmbeddedLog;

fn rows_of(day: i64, key: &'static str, visitors: std::ops::Range<u64>) -> Vec<Row<'static>> {
    let row = |visitor: u64| {
        let at = day * MILLIS_PER_DAY + i64::try_from(visitor).unwrap();
        let row = row(at, visitor);
        let target = VisitedLink {
            slug: key,
            ..row.target
        };
        Row { target, ..row }
    };
    visitors.map(row).collect()
}

/// The visits that meet a condition on domains, and whether they are from totals.
async fn visits_of(log: &EmbeddedLog, domains: Choice<String>) -> (u64, bool) {
    let query = questions::total(questions::meeting([(Dimension::Domain, domains)]));
    let report = log.counters(&query).await.unwrap();
    (report.rows[0].counters.visits, report.sampling.damaged == 0)
}

#[tokio::test]
async fn totals_list_the_domains_of_a_day_and_a_question_about_one_reads_rows() {
    let mut log = Counted::new(true);
    log.insert(&rows_of(0, "docs", 0..20));
    log.insert(&rows_of(1, "docs", 100..110));
    log.insert(&rows_of(1, "go.example/docs", 200..215));
    log.seal_all();
    log.count_days(usize::MAX);
    let of = |domain: &str| Choice::any_of([domain.to_owned()]);
    let without = |domain: &str| Choice::none_of([domain.to_owned()]);
    for (domains, visits) in [
        (of(""), 30),
        (of("go.example"), 15),
        (of("none.example"), 0),
        (without("go.example"), 30),
    ] {
        assert_eq!(visits_of(&log.log, domains).await, (visits, true));
    }
    destroy_rows(&log);
    assert_eq!(visits_of(&log.log, of("go.example")).await, (0, false));
    let query = questions::by_value(VisitFilter::default(), Dimension::Domain);
    let report = log.log.metrics(&query).await.unwrap();
    let rows = report.rows.into_iter();
    let rows: Vec<_> = rows
        .map(|row| (row.name, row.count, row.visitors))
        .collect();
    let named = ("go.example".to_owned(), 15, Some(15));
    assert_eq!(rows, [(String::new(), 30, Some(30)), named]);
}
