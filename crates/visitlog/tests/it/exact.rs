//! An answer that says that it is exact is.

use std::num::NonZeroU32;

use rusqlite::Connection;
use slugline_analytics::{RecorderOptions, SamplingTargets};
use slugline_domain::ports::{VisitLog, VisitSink};
use slugline_testkit::exactness_contract::{Answers, Recorded, exact_means_exact};

use crate::support::Fixture;

impl Recorded for Fixture {
    fn sink(&self) -> &dyn VisitSink {
        &self.recorder
    }

    async fn settle(&self) {
        self.recorder.flush().await.unwrap();
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

#[tokio::test]
async fn visits_that_a_full_queue_dropped_are_missing_from_no_exact_answer() {
    let fixture = Fixture::new(RecorderOptions {
        queue: 96,
        ..sampling()
    });
    let other = Connection::open(fixture.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    struct Late<'f>(&'f Fixture, std::cell::RefCell<Option<Connection>>);
    impl Recorded for Late<'_> {
        fn sink(&self) -> &dyn VisitSink {
            &self.0.recorder
        }

        async fn settle(&self) {
            // The first visits meet a locked file and a full queue.
            if let Some(other) = self.1.borrow_mut().take() {
                other.execute_batch("COMMIT").unwrap();
            }
            self.0.recorder.flush().await.unwrap();
        }

        fn log(&self) -> &dyn VisitLog {
            &self.0.log
        }
    }
    let late = Late(&fixture, std::cell::RefCell::new(Some(other)));
    let answers = exact_means_exact(&late, 7).await;
    assert!(fixture.recorder.dropped() > 0);
    assert!(answers.estimated > 0, "{answers:?}");
}
