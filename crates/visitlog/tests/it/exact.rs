//! An answer that says that it is exact is.

use std::{num::NonZeroU32, sync::Mutex, time::Duration};

use rusqlite::Connection;
use slugline_analytics::{RecorderOptions, SamplingTargets};
use slugline_domain::{
    CountersQuery, LogTrouble,
    ports::{VisitLog, VisitSink},
};
use slugline_testkit::exactness_contract::{Answers, Recorded, exact_means_exact};

use crate::support::{Fixture, NEW_YEAR_MS, eventually, visit};

impl Recorded for Fixture {
    fn sink(&self) -> &dyn VisitSink {
        &self.recorder
    }

    async fn settle(&self) {
        self.recorder.flush().await.expect("the recorder runs");
    }

    fn log(&self) -> &dyn VisitLog {
        &self.log
    }
}

fn sampling() -> RecorderOptions {
    RecorderOptions {
        sampling: SamplingTargets {
            per_link: NonZeroU32::new(10),
            overall: NonZeroU32::new(40),
        },
        rows_per_chunk: 64,
        ..RecorderOptions::default()
    }
}

#[tokio::test]
async fn an_answer_that_says_that_it_is_exact_equals_the_plain_count() {
    let mut all = Answers::default();
    for seed in 0..24 {
        let answers = exact_means_exact(&Fixture::new(sampling()), seed).await;
        all.exact += answers.exact;
        all.not_empty += answers.not_empty;
        all.estimated += answers.estimated;
    }
    // Otherwise the test would prove little.
    assert!(all.not_empty > 200 && all.estimated > 500, "{all:?}");
}

/// A log whose first visits meet a locked file, and so a full queue.
struct Late<'f>(&'f Fixture, Mutex<Option<Connection>>);

impl Recorded for Late<'_> {
    fn sink(&self) -> &dyn VisitSink {
        &self.0.recorder
    }

    async fn settle(&self) {
        let locking = self.1.lock().expect("no thread panicked").take();
        if let Some(other) = locking {
            other.execute_batch("COMMIT").expect("the lock ends");
        }
        self.0.settle().await;
    }

    fn log(&self) -> &dyn VisitLog {
        &self.0.log
    }
}

#[tokio::test]
async fn visits_that_a_full_queue_dropped_are_missing_from_no_exact_answer() {
    let fixture = Fixture::new(RecorderOptions {
        queue: 96,
        ..sampling()
    });
    let other = Connection::open(fixture.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let late = Late(&fixture, Mutex::new(Some(other)));
    let answers = exact_means_exact(&late, 7).await;
    assert!(fixture.recorder.dropped() > 0);
    assert!(answers.estimated > 0, "{answers:?}");
}

#[tokio::test]
async fn rows_are_stored_with_the_decision_to_sample_or_not_at_all() {
    let fixture = Fixture::new(RecorderOptions {
        batch_age: Duration::ZERO,
        ..sampling()
    });
    let other = Connection::open(fixture.file()).unwrap();
    let full =
        "CREATE TRIGGER full BEFORE INSERT ON sampled BEGIN SELECT RAISE(ABORT, 'full'); END";
    other.execute_batch(full).unwrap();
    for client in 0..200 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    eventually("the log says that it cannot write", || {
        fixture.log.troubles() == [LogTrouble::NotStoring]
    })
    .await;
    // Only the visits from before the first sampled one are there.
    let before = fixture
        .log
        .counters(&CountersQuery::default())
        .await
        .unwrap();
    assert!(before.rows[0].counters.visits <= 10, "{before:?}");

    other.execute_batch("DROP TRIGGER full").unwrap();
    fixture.recorder.flush().await.unwrap();
    let after = fixture
        .log
        .counters(&CountersQuery::default())
        .await
        .unwrap();
    assert!(!after.sampling.exact() && after.rows[0].counters.visits > 10);
    assert_eq!(fixture.recorder.dropped(), 0);
}
