//! Totals of days, and the events that change visits under them.

use std::{
    num::NonZeroU32,
    time::{Duration, SystemTime},
};

use slugline_analytics::{
    Sampled,
    row::{Row, VisitedLink},
    utc::MILLIS_PER_DAY,
};
use slugline_domain::{
    Bots, Choice, Destinations, Dimension, SamplingInterval, TimeUnit, VisitFilter,
};
use slugline_testkit::{ClickHouseEngine::Library, questions, visit_log_contract::Party, with};

use super::{questions::AskedLog, rows::row};
use crate::{
    counts::{self, Estimate},
    lists, row_binary, schema,
};

const TIMEOUT: Duration = Duration::from_mins(1);

/// A visit on a day, at its second hour.
fn visit(day: i64, visitor: u64, host: &'static str) -> Row<'static> {
    Row {
        referer: host.into(),
        ..row(day * MILLIS_PER_DAY + 3_600_000, visitor)
    }
}

/// Two days with a visitor of both: five visits of three visitors, who came from two hosts.
async fn two_days() -> AskedLog {
    let mut log = AskedLog::new(Library).await;
    log.insert(&[
        visit(20_000, 1, "a.example"),
        visit(20_000, 1, ""),
        visit(20_000, 2, "b.example"),
    ])
    .await;
    log.insert(&[visit(20_001, 3, "a.example"), visit(20_001, 1, "")])
        .await;
    log
}

/// Most of the first day, and all of the second one.
fn most() -> VisitFilter {
    questions::between(20_000 * 86_400 + 1, 20_002 * 86_400 - 1)
}

impl AskedLog {
    async fn counted(&self, filter: VisitFilter) -> (u64, u64, u64) {
        let query = questions::total(filter);
        let report = self.log().counters(&query).await.unwrap();
        let counters = report.rows[0].counters;
        (counters.visits, counters.visitors, counters.referers)
    }

    /// Counters of all visits, of which those of whole days come from totals.
    async fn expect(&self, counters: (u64, u64, u64)) {
        assert_eq!(self.counted(VisitFilter::default()).await, counters);
        assert_eq!(self.counted(most()).await, counters);
    }

    /// Runs a statement, and waits until its changes are made.
    async fn change(&self, sql: &str) {
        // As a setting of the request it would hold for other tests, too.
        let sql = format!("{sql} SETTINGS mutations_sync = 1");
        self.client().run(&sql, TIMEOUT).await.unwrap();
    }

    /// The totals that ClickHouse takes for a statement.
    async fn totals_of(&self, sql: &str) -> Vec<String> {
        let plan = format!("EXPLAIN {sql}");
        let lines = self.client().rows(&plan, TIMEOUT, row_binary::text);
        let read = |line: String| {
            let (_, read) = line.split_once("ReadFromMergeTree (")?;
            Some(read.trim_end_matches(')').to_owned())
        };
        let all = lines.await.unwrap().into_iter().filter_map(read);
        all.filter(|name| name.starts_with("slugline_")).collect()
    }
}

#[tokio::test]
async fn clickhouse_takes_totals_for_whole_days() {
    let log = two_days().await;
    let people = VisitFilter {
        values: vec![Bots::Exclude.condition().unwrap()],
        ..most()
    };
    let hidden = VisitFilter {
        destinations: Destinations::Unprotected,
        ..most()
    };
    for filter in [VisitFilter::default(), most(), people, hidden] {
        let counters = counts::counters(&questions::total(filter.clone()), Estimate::No);
        let mut found = log.totals_of(&counters).await;
        found.sort_unstable();
        // ClickHouse may show the hosts as a number that it has found before.
        found.retain(|name| name != "slugline_sources");
        assert_eq!(found, ["slugline_visitors"], "{counters}");
        let views = questions::by_time(filter.clone(), TimeUnit::Day);
        let views = counts::views(&views, Estimate::No);
        assert_eq!(
            log.totals_of(&views).await,
            ["slugline_visitors"],
            "{views}"
        );
        for (dimension, totals) in [
            (Dimension::Slug, "slugline_links"),
            (Dimension::Url, "slugline_links"),
            (Dimension::Domain, "slugline_links"),
            (Dimension::Referer, "slugline_sources"),
            (Dimension::UtmCampaign, "slugline_sources"),
            (Dimension::Channel, "slugline_sources"),
            (Dimension::Country, "slugline_countries"),
            (Dimension::Language, "slugline_countries"),
            (Dimension::Os, "slugline_devices"),
            (Dimension::DeviceType, "slugline_devices"),
        ] {
            let query = questions::by_value(filter.clone(), dimension);
            let query = with(query, |it| it.visitors = false);
            let (sql, _) = lists::metrics(&query);
            assert_eq!(log.totals_of(&sql).await, [totals], "{sql}");
        }
    }
}

#[tokio::test]
async fn a_visitor_of_two_days_counts_once_and_a_late_visit_at_once() {
    let mut log = two_days().await;
    log.expect((5, 3, 2)).await;
    log.insert(&[visit(20_000, 9, "c.example")]).await;
    log.expect((6, 4, 3)).await;
}

#[tokio::test]
async fn a_batch_that_comes_twice_counts_once() {
    let mut log = two_days().await;
    for _ in 0..2 {
        log.insert_as("again", &[visit(20_000, 9, "c.example")])
            .await;
        log.expect((6, 4, 3)).await;
    }
}

#[tokio::test]
async fn a_sampled_visit_among_others_makes_visitors_an_estimate() {
    let mut log = two_days().await;
    let sampled = |visitor| Row {
        sampled: Sampled {
            interval: SamplingInterval::new(8).unwrap(),
            coherent: true,
        },
        ..visit(20_000, visitor, "")
    };
    log.insert(&[sampled(1), sampled(7)]).await;
    // One visitor has a visit that stands for itself.
    log.expect((21, 11, 2)).await;
    let report = log.log().counters(&questions::total(most())).await;
    assert!(report.unwrap().rows[0].variance.visitors > 0);
}

#[tokio::test]
async fn erased_visits_leave_totals() {
    let mut log = two_days().await;
    let target = VisitedLink {
        link_id: "gone-1",
        slug: "gone",
        url: "https://gone.example/",
        protection: "none",
    };
    let gone = Row {
        target,
        ..visit(20_001, 7, "gone.example")
    };
    log.insert(&[gone]).await;
    log.expect((6, 4, 3)).await;
    let named = "SELECT count() FROM mergeTreeProjection(currentDatabase(), access_log, slugline_links) \
                 WHERE url LIKE '%gone%'";
    let named = async || {
        let found = log.client().rows(named, TIMEOUT, row_binary::number).await;
        found.unwrap()[0]
    };
    assert_eq!(named().await, 1);
    log.change("ALTER TABLE access_log DELETE WHERE link_id = 'gone-1'")
        .await;
    log.expect((5, 3, 2)).await;
    assert_eq!(named().await, 0);
    let link = VisitFilter {
        values: vec![(Dimension::Slug, Choice::any_of(["gone".to_owned()]))],
        ..most()
    };
    assert_eq!(log.counted(link).await, (0, 0, 0));
}

#[tokio::test]
async fn visits_beyond_their_retention_leave_totals() {
    let mut log = two_days().await;
    let today = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs() / 86_400;
    let recent = visit(i64::try_from(today).unwrap() - 10, 4, "");
    log.insert(&[recent]).await;
    let all = VisitFilter::default;
    assert_eq!(log.counted(all()).await, (6, 4, 2));
    let days = NonZeroU32::new(30);
    schema::prepare(log.client(), days).await.unwrap();
    log.change("OPTIMIZE TABLE access_log FINAL").await;
    assert_eq!(log.counted(all()).await, (1, 1, 0));
}
