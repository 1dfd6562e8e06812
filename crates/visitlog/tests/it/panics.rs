use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use slugline_analytics::{RecorderClosed, RecorderOptions, RecorderPorts, SamplingTargets};
use slugline_domain::{
    LinkId, LogTrouble, SamplingNote, UnixSeconds, VisitFilter, VisitRecord,
    ports::{Random, VisitEraser, VisitLog, VisitObserver, VisitSink},
};
use slugline_testkit::questions;
use slugline_visitlog::EmbeddedLog;

use crate::support::{DAY_MS, NEW_YEAR_MS, Seeded, eventually, file, ports, visit, visits};

/// Panics at the visit of this moment.
#[derive(Debug)]
struct Poisoned(i64);

impl VisitObserver for Poisoned {
    fn observe(&self, visit: &VisitRecord<'_>) {
        assert_ne!(visit.at.get(), self.0, "a poisonous visit");
    }
}

/// Panics while it is told to.
#[derive(Debug)]
struct Failing(Seeded, AtomicBool);

impl Random for Failing {
    fn fill(&self, buffer: &mut [u8]) {
        assert!(!self.1.load(Ordering::Relaxed), "no random bytes");
        self.0.fill(buffer);
    }
}

fn options() -> RecorderOptions {
    RecorderOptions {
        sampling: SamplingTargets::NONE,
        ..RecorderOptions::default()
    }
}

async fn note(log: &EmbeddedLog, from_ms: i64) -> SamplingNote {
    let filter = VisitFilter {
        from: UnixSeconds::new(from_ms / 1_000).ok(),
        ..VisitFilter::default()
    };
    let query = questions::total(filter);
    let report = log.counters(&query).await.expect("the log answers");
    report.sampling
}

const POISON_MS: i64 = NEW_YEAR_MS + 5 * DAY_MS;

#[tokio::test]
async fn a_visit_that_makes_the_writer_panic_costs_its_batch_only() {
    let folder = tempfile::tempdir().unwrap();
    let poisoned = RecorderPorts {
        observers: vec![Arc::new(Poisoned(POISON_MS))],
        ..ports()
    };
    let path = file(folder.path());
    let (recorder, log) = slugline_visitlog::start(&path, options(), poisoned).unwrap();
    recorder.record(visit(NEW_YEAR_MS, 1));
    recorder.flush().await.unwrap();
    assert_eq!(log.troubles(), []);

    recorder.record(visit(POISON_MS, 2));
    assert_eq!(recorder.flush().await, Err(RecorderClosed));
    eventually("the trouble is told", || {
        log.troubles() == [LogTrouble::Panicked]
    })
    .await;
    assert_eq!(recorder.numbers().troubles, [LogTrouble::Panicked]);
    eventually("the visit is counted", || recorder.dropped() == 1).await;
    assert!(!note(&log, POISON_MS).await.exact());

    // Later visits are stored, and callers get answers.
    let before = visits(&log).await;
    recorder.record(visit(NEW_YEAR_MS, 3));
    recorder.flush().await.unwrap();
    assert_eq!(visits(&log).await, before + 1);
    recorder
        .erase(&LinkId::parse("other").unwrap())
        .await
        .unwrap();
    recorder.shutdown().await;

    let (recorder, log) = slugline_visitlog::start(&path, options(), ports()).unwrap();
    assert_eq!(note(&log, NEW_YEAR_MS).await.dropped, 1);
    assert!(note(&log, POISON_MS + DAY_MS).await.exact());
    assert_eq!(log.troubles(), []);
    recorder.shutdown().await;
}

#[tokio::test]
async fn a_writer_that_panics_at_each_visit_counts_them_all_and_still_ends() {
    let folder = tempfile::tempdir().unwrap();
    let random = Arc::new(Failing(Seeded::new(7), AtomicBool::new(true)));
    let failing = RecorderPorts {
        random: Arc::<Failing>::clone(&random),
        ..ports()
    };
    random.1.store(false, Ordering::Relaxed);
    let path = file(folder.path());
    let (recorder, log) = slugline_visitlog::start(&path, options(), failing).unwrap();
    random.1.store(true, Ordering::Relaxed);
    for client in 0..5 {
        recorder.record(visit(NEW_YEAR_MS, client));
    }
    while recorder.numbers().waiting > 0 {
        let _ = recorder.flush().await;
    }
    eventually("all are counted", || recorder.dropped() == 5).await;
    assert_eq!(visits(&log).await, 0);

    // The panics came within transactions, which were rolled back.
    random.1.store(false, Ordering::Relaxed);
    recorder.record(visit(NEW_YEAR_MS, 1));
    recorder.flush().await.unwrap();
    assert_eq!(visits(&log).await, 1);

    random.1.store(true, Ordering::Relaxed);
    for day in 1..20 {
        recorder.record(visit(NEW_YEAR_MS + day * DAY_MS, 1));
    }
    recorder.shutdown().await;
    assert_eq!(recorder.dropped(), 24);
    assert_eq!(note(&log, NEW_YEAR_MS).await.dropped, 24);
    let (recorder, log) = slugline_visitlog::start(&path, options(), ports()).unwrap();
    assert_eq!(note(&log, NEW_YEAR_MS).await.dropped, 24);
    recorder.shutdown().await;
}
