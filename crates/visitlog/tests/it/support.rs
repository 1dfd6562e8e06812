use std::{
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use slugline_analytics::{Recorder, RecorderOptions, RecorderPorts};
use slugline_domain::{
    Counters, Destination, FollowedLink, LinkId, Revision, SplitMix64, Terms, UnixMillis, Visit,
    VisitFilter, VisitHeaders, Way,
    ports::{Random, VisitLog},
};
use slugline_testkit::{FixedClock, questions};
use slugline_visitlog::EmbeddedLog;
use tempfile::TempDir;

/// 2026-01-01 00:00:00 UTC.
pub(crate) const NEW_YEAR_MS: i64 = 1_767_225_600_000;
pub(crate) const DAY_MS: i64 = 86_400_000;

/// Reproducible numbers.
#[derive(Debug)]
pub(crate) struct Seeded(AtomicU64);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    pub(crate) fn next(&self) -> u64 {
        let state = self.0.fetch_add(SplitMix64::STEP, Ordering::Relaxed);
        SplitMix64::seeded(state).draw()
    }

    pub(crate) fn below(&self, end: usize) -> usize {
        let end = u64::try_from(end).expect("test bounds are small");
        usize::try_from(self.next() % end).expect("test bounds are small")
    }
}

impl Random for Seeded {
    fn fill(&self, buffer: &mut [u8]) {
        for part in buffer.chunks_mut(8) {
            part.copy_from_slice(&self.next().to_le_bytes()[..part.len()]);
        }
    }
}

/// A log in a temporary folder.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) recorder: Recorder,
    pub(crate) log: EmbeddedLog,
    pub(crate) folder: TempDir,
}

impl Fixture {
    pub(crate) fn new(options: RecorderOptions) -> Self {
        Self::in_folder(options, tempfile::tempdir().expect("a folder can be made"))
    }

    pub(crate) fn in_folder(options: RecorderOptions, folder: TempDir) -> Self {
        let (recorder, log) = open(&file(folder.path()), options);
        Self {
            recorder,
            log,
            folder,
        }
    }

    pub(crate) fn file(&self) -> PathBuf {
        file(self.folder.path())
    }

    /// Closes everything and opens it again.
    pub(crate) async fn reopen(self, options: RecorderOptions) -> Self {
        let Self {
            recorder,
            log,
            folder,
        } = self;
        recorder.shutdown().await;
        drop((recorder, log));
        Self::in_folder(options, folder)
    }
}

pub(crate) fn file(folder: &Path) -> PathBuf {
    folder.join("analytics.db")
}

/// A clock that shows the new year, and random bytes that repeat.
pub(crate) fn ports() -> RecorderPorts {
    let new_year = UnixMillis::new(NEW_YEAR_MS).second();
    RecorderPorts::new(
        Arc::new(FixedClock::at(new_year)),
        Arc::new(Seeded::new(42)),
    )
}

pub(crate) fn open(file: &Path, options: RecorderOptions) -> (Recorder, EmbeddedLog) {
    slugline_visitlog::start(file, options, ports()).expect("the log can be opened")
}

pub(crate) fn link(id: &str, slug: &str, url: &str) -> Arc<FollowedLink> {
    Arc::new(FollowedLink::new(
        &LinkId::parse(id).expect("test ids are valid"),
        &slug.parse().expect("test slugs are valid"),
        Revision::FIRST,
        &Destination::restore(url).expect("test URLs are valid"),
        Terms::default(),
    ))
}

/// A visit for tests that need only its moment and its visitor.
pub(crate) fn visit(at_ms: i64, client: u32) -> Visit {
    Visit {
        at: UnixMillis::new(at_ms),
        link: link("docs-1", "docs", "https://example.com/docs"),
        client: IpAddr::V4(Ipv4Addr::from_bits(client)),
        headers: VisitHeaders::new("Example/1.0", "", ""),
        place: None,
        way: Way::Main,
    }
}

/// Polls until the condition holds. The deadline only keeps a failure from hanging.
pub(crate) async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(2);
    while !holds() {
        assert!(Instant::now() < deadline, "never came to pass: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The counters of all visits that meet a filter.
pub(crate) async fn total(log: &EmbeddedLog, filter: VisitFilter) -> Counters {
    let query = questions::total(filter);
    let report = log.counters(&query).await.expect("the log answers");
    assert_eq!(report.rows.len(), 1);
    report.rows[0].counters
}

pub(crate) async fn visits(log: &EmbeddedLog) -> u64 {
    total(log, VisitFilter::default()).await.visits
}
