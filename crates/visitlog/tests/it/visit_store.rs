use std::{
    panic::AssertUnwindSafe,
    sync::atomic::{AtomicU32, Ordering},
};

use async_trait::async_trait;
use slugline_analytics::{RecorderOptions, SamplingTargets};
use slugline_domain::{
    Erasure, LinkId, Visit,
    ports::{VisitEraser, VisitLog, VisitLogError, VisitSink},
};
use slugline_testkit::visit_store_contract::{VisitStore, run_suite};

use crate::support::Fixture;

impl VisitStore for Fixture {
    fn sink(&self) -> &dyn VisitSink {
        &self.recorder
    }

    fn log(&self) -> &dyn VisitLog {
        &self.log
    }

    fn eraser(&self) -> &dyn VisitEraser {
        &self.recorder
    }

    /// The embedded log erases by what the file holds, whatever the clock shows.
    fn time_passes(&self, _: i64) {}

    async fn settle(&self) {
        self.recorder.flush().await.expect("the recorder runs");
    }
}

fn options(sampling: SamplingTargets) -> RecorderOptions {
    RecorderOptions {
        sampling,
        rows_per_chunk: 64,
        ..RecorderOptions::default()
    }
}

#[tokio::test]
async fn the_embedded_log_keeps_the_contract() {
    for sampling in [SamplingTargets::NONE, SamplingTargets::default()] {
        run_suite(async || Fixture::new(options(sampling))).await;
    }
}

/// The rule that an engine breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// It breaks none.
    None,
    LosesVisits,
    CountsVisitsTwice,
    ErasesNothing,
    ErasesAnotherLink,
}

#[test]
fn an_engine_that_breaks_one_rule_fails_the_suite() {
    for (fault, passes) in [
        (Fault::None, true),
        (Fault::LosesVisits, false),
        (Fault::CountsVisitsTwice, false),
        (Fault::ErasesNothing, false),
        (Fault::ErasesAnotherLink, false),
    ] {
        let engine = async || Broken {
            inner: Fixture::new(options(SamplingTargets::NONE)),
            fault,
            taken: AtomicU32::new(0),
        };
        let suite = || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.expect("a runtime").block_on(run_suite(engine));
        };
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(suite));
        assert_eq!(outcome.is_ok(), passes, "{fault:?}");
    }
}

/// An embedded log that breaks a rule.
#[derive(Debug)]
struct Broken {
    inner: Fixture,
    fault: Fault,
    taken: AtomicU32,
}

impl VisitStore for Broken {
    fn sink(&self) -> &dyn VisitSink {
        self
    }

    fn log(&self) -> &dyn VisitLog {
        &self.inner.log
    }

    fn eraser(&self) -> &dyn VisitEraser {
        self
    }

    fn time_passes(&self, seconds: i64) {
        self.inner.time_passes(seconds);
    }

    async fn settle(&self) {
        self.inner.settle().await;
    }
}

impl VisitSink for Broken {
    fn record(&self, visit: Visit) {
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        if self.fault == Fault::LosesVisits && number % 5 == 4 {
            return;
        }
        if self.fault == Fault::CountsVisitsTwice {
            self.inner.recorder.record(visit.clone());
        }
        self.inner.recorder.record(visit);
    }
}

#[async_trait]
impl VisitEraser for Broken {
    async fn erase(&self, link: &LinkId) -> Result<Erasure, VisitLogError> {
        match self.fault {
            Fault::ErasesNothing => Ok(Erasure::Done),
            Fault::ErasesAnotherLink => {
                let other = LinkId::parse("id-sale").expect("an id");
                self.inner.recorder.erase(&other).await?;
                self.inner.recorder.erase(link).await
            }
            Fault::None | Fault::LosesVisits | Fault::CountsVisitsTwice => {
                self.inner.recorder.erase(link).await
            }
        }
    }
}
