//! A recorder with a spool of its own, and visits for it.

use std::{
    net::Ipv4Addr,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use rusqlite::Connection;
use slugline_analytics::{OpenError, Recorder, RecorderOptions, RecorderPorts, SaltPeriod};
use slugline_domain::{
    Counters, CountersQuery, UnixMillis, Visit, VisitHeaders, Way,
    ports::{VisitLog, VisitLogError, VisitSink},
};
use slugline_testkit::{FixedClock, NOON, SeededRandom, link, questions};
use tokio::time::{Instant, sleep};

use super::{
    address::Address,
    lacks::{self, Feature},
    wire::TestWire,
};
use crate::{log::ClickHouseLog, open::ClickHouseOptions};

/// The time limit for work in the background. It only keeps a failure from hanging: a shipment
/// on a busy machine may time out after a minute and be sent again.
const TIMEOUT: Duration = Duration::from_mins(15);

/// 2026-01-01 00:00:00 UTC.
const START_MS: i64 = 1_767_225_600_000;

pub(crate) struct Recording {
    pub(crate) recorder: Recorder,
    pub(crate) log: ClickHouseLog,
    pub(crate) wire: Arc<TestWire>,
}

pub(crate) fn options(address: &Address, folder: &Path) -> (ClickHouseOptions, Arc<TestWire>) {
    let wire = address.wire();
    let spool = folder.join("spool.db");
    (
        ClickHouseOptions::new(address.target.clone(), wire.clone(), spool),
        wire,
    )
}

pub(crate) async fn open(
    options: ClickHouseOptions,
) -> Result<(Recorder, ClickHouseLog), OpenError> {
    let recorder = RecorderOptions {
        salt_period: SaltPeriod::Never,
        ..RecorderOptions::default()
    };
    let ports = RecorderPorts::new(
        Arc::new(FixedClock::at(NOON)),
        Arc::new(SeededRandom::new(seed())),
    );
    crate::start(options, recorder, ports).await
}

/// A different seed for each recorder of each process: ClickHouse treats shipments with the
/// same token as the same rows.
pub(crate) fn seed() -> u64 {
    static STARTED: AtomicU32 = AtomicU32::new(0);
    let number = STARTED.fetch_add(1, Ordering::SeqCst);
    u64::from(std::process::id()) << 32 | u64::from(number)
}

impl Recording {
    pub(crate) async fn start(address: &Address, folder: &Path) -> Self {
        let (options, wire) = options(address, folder);
        Self::start_with(options, wire).await
    }

    pub(crate) async fn start_with(options: ClickHouseOptions, wire: Arc<TestWire>) -> Self {
        let (recorder, log) = open(options).await.unwrap();
        Self {
            recorder,
            log,
            wire,
        }
    }

    /// Records visits with these numbers: number n comes in second n from visitor n, so that
    /// counting both shows missing and repeated visits.
    pub(crate) fn record(&self, numbers: std::ops::Range<u32>) {
        numbers
            .map(visit)
            .for_each(|visit| self.recorder.record(visit));
    }

    /// Waits until `visits` visits by as many visitors have arrived.
    pub(crate) async fn expect(&self, visits: u64) {
        eventually(&format!("{visits} visits"), async || {
            let found = total(&self.log).await.ok();
            found.is_some_and(|found| (found.visits, found.visitors) == (visits, visits))
        })
        .await;
    }

    /// Expects all of `visits` visits, each exactly once if insertions have tokens.
    pub(crate) async fn expect_all_of(&self, visits: u64) {
        let found = total(&self.log).await.unwrap();
        assert_eq!(found.visitors, visits);
        if lacks::has(self.wire.engine(), Feature::Tokens) {
            assert_eq!(found.visits, visits);
        }
    }

    /// Counters of the visits with numbers from `first` up to but excluding `end`.
    pub(crate) async fn span(&self, first: u32, end: u32) -> Counters {
        let second = |number: u32| START_MS / 1_000 + i64::from(number);
        let query = questions::total(questions::between(second(first), second(end - 1)));
        self.log.counters(&query).await.unwrap().rows[0].counters
    }
}

pub(crate) fn visit(number: u32) -> Visit {
    Visit {
        at: UnixMillis::new(START_MS + i64::from(number) * 1_000),
        link: link("docs").followed(),
        client: Ipv4Addr::from_bits(number).into(),
        headers: VisitHeaders::new("Example/1.0", "https://news.example/today", "en"),
        place: None,
        way: Way::Main,
    }
}

pub(crate) async fn total(log: &ClickHouseLog) -> Result<Counters, VisitLogError> {
    let report = log.counters(&CountersQuery::default()).await?;
    Ok(report.rows[0].counters)
}

/// Rows that wait in a spool.
pub(crate) fn waiting(folder: &Path) -> u64 {
    let spool = Connection::open(folder.join("spool.db")).unwrap();
    spool.busy_timeout(TIMEOUT).unwrap();
    let count = "SELECT count(*) FROM spool";
    let rows: u32 = spool.query_row(count, [], |row| row.get(0)).unwrap();
    rows.into()
}

/// Tells if a spool has rows or sampled spans that ClickHouse lacks.
pub(crate) fn is_unshipped(folder: &Path) -> bool {
    let sql = "SELECT EXISTS (SELECT 1 FROM spool) OR EXISTS (SELECT 1 FROM sampled)";
    let spool = Connection::open(folder.join("spool.db")).unwrap();
    spool.query_row(sql, [], |row| row.get(0)).unwrap()
}

pub(crate) async fn eventually(what: &str, mut happened: impl AsyncFnMut() -> bool) {
    let limit = Instant::now() + TIMEOUT;
    while !happened().await {
        assert!(Instant::now() < limit, "{what}: not within {TIMEOUT:?}");
        sleep(Duration::from_millis(20)).await;
    }
}
