//! An engine that counts days, and visits for it.

use std::{borrow::Cow, sync::Arc, time::Duration};

use slugline_analytics::{
    row::Row,
    utc::{MILLIS_PER_DAY, day_of},
};
use slugline_domain::{
    CountersQuery, Dimension, MetricsQuery, RowLimit, UnixSeconds, VisitFilter, ports::VisitLog,
};
use slugline_testkit::{
    ClickHouseEngine, FixedClock, SeededRandom,
    visit_log_contract::{Party, RandomVisit},
};

use super::{questions::Asked, rows::row};
use crate::{
    client::Client,
    days::{Least, Ready, Upkeep},
    row_binary,
};

const TIMEOUT: Duration = Duration::from_mins(1);

/// An engine that counts days.
pub(crate) struct Counted {
    pub(crate) asked: Asked,
    pub(crate) upkeep: Upkeep,
    rounds: u32,
}

impl Counted {
    /// Every question reads its plan anew.
    pub(crate) async fn new() -> Self {
        Self::keeping(Duration::ZERO).await
    }

    /// Plans stay in memory this long.
    pub(crate) async fn keeping(kept_for: Duration) -> Self {
        let asked = Asked::new(ClickHouseEngine::Library).await;
        let (asked, ready) = asked.with_days(kept_for);
        let mut upkeep = upkeep(asked.client(), ready, 5);
        upkeep.round().await.unwrap();
        Self {
            asked,
            upkeep,
            rounds: 0,
        }
    }

    /// Counts every day. The first round only looks.
    pub(crate) async fn count_days(&mut self) {
        for _ in 0..2 {
            self.upkeep.round().await.unwrap();
        }
    }

    pub(crate) async fn number(&self, sql: &str) -> u64 {
        let rows = self.asked.client().rows(sql, TIMEOUT, row_binary::number);
        rows.await.unwrap()[0]
    }

    /// The days whose totals questions take.
    pub(crate) async fn counted(&self) -> u64 {
        self.number("SELECT uniqExact(day) FROM slugline_day").await
    }

    /// Changes what no question would see if it scanned visits.
    pub(crate) async fn spoil_totals(&self) {
        for change in [
            "slugline_day UPDATE visits = arrayMap(n -> n * 10, visits) WHERE 1",
            "slugline_day_value UPDATE visits = visits * 10 WHERE 1",
        ] {
            self.run(&format!("ALTER TABLE {change}")).await;
        }
    }

    /// Runs a statement, and waits until its changes are made.
    pub(crate) async fn run(&self, sql: &str) {
        let settings = [("mutations_sync", "1")];
        let client = self.asked.client();
        let none = |_: &mut row_binary::Cursor<'_>| Err(row_binary::DecodeError::OutOfRange);
        let run = client.all::<()>(sql, &settings, TIMEOUT, none);
        run.await.unwrap();
    }

    pub(crate) async fn counters(&self, filter: VisitFilter) -> (u64, u64, u64) {
        let query = CountersQuery {
            filter,
            per_link: false,
        };
        let report = self.asked.log().counters(&query).await.unwrap();
        let counters = report.rows[0].counters;
        (counters.visits, counters.visitors, counters.referers)
    }

    /// The values with their visits and visitors.
    pub(crate) async fn values(&self, dimension: Dimension) -> Vec<(String, u64, Option<u64>)> {
        let query = MetricsQuery {
            filter: VisitFilter::default(),
            dimension,
            limit: RowLimit::DEFAULT,
            visitors: true,
        };
        let report = self.asked.log().metrics(&query).await.unwrap();
        let rows = report.rows.into_iter();
        rows.map(|row| (row.name, row.count, row.visitors))
            .collect()
    }

    pub(crate) async fn visits_by(&self, dimension: Dimension) -> u64 {
        let query = MetricsQuery {
            filter: VisitFilter::default(),
            dimension,
            limit: RowLimit::DEFAULT,
            visitors: false,
        };
        let report = self.asked.log().metrics(&query).await.unwrap();
        report.rows.iter().map(|row| row.count).sum()
    }
}

/// Counts days of any number of visits, and links of three.
pub(crate) fn upkeep(client: &Client, ready: Ready, seed: u64) -> Upkeep {
    let clock = FixedClock::at(UnixSeconds::new(4_000_000_000).unwrap());
    let least = Least {
        of_day: 1,
        of_link: 3,
    };
    let random = Arc::new(SeededRandom::new(seed));
    Upkeep::new(client.clone(), Arc::new(clock), random, ready, least)
}

impl Party for Counted {
    fn prepare(&self, visits: &mut [RandomVisit]) {
        for visit in visits {
            let day = day_of(visit.at.get()).cast_unsigned();
            visit.visitor ^= day.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    async fn store(&mut self, visits: &[RandomVisit]) {
        self.asked.store(visits).await;
        self.rounds += 1;
        // Before the first count all is scanned; later the totals of some days are out of date.
        if self.rounds.is_multiple_of(3) {
            self.count_days().await;
        }
    }

    fn log(&self) -> &dyn VisitLog {
        self.asked.log()
    }
}

/// A visit on a day, at its second hour.
pub(crate) fn visit(day: i64, visitor: u64, host: &'static str) -> Row<'static> {
    Row {
        referer: Cow::Borrowed(host),
        ..row(day * MILLIS_PER_DAY + 3_600_000, visitor)
    }
}

/// Two days with totals: four visits of three visitors, who came from two hosts.
pub(crate) async fn two_days() -> Counted {
    two_days_in(Counted::new().await).await
}

pub(crate) async fn two_days_in(mut log: Counted) -> Counted {
    log.asked
        .insert(&[
            visit(20_000, 1, "a.example"),
            visit(20_000, 1, ""),
            visit(20_000, 2, "b.example"),
            visit(20_001, 3, "a.example"),
        ])
        .await;
    log.count_days().await;
    assert_eq!(log.counted().await, 2);
    log
}

/// All visits.
pub(crate) fn all() -> VisitFilter {
    VisitFilter::default()
}
