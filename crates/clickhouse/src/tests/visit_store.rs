//! The contract of the ports of an access log.

use std::sync::Arc;

use slugline_analytics::{Recorder, RecorderOptions, RecorderPorts};
use slugline_domain::ports::{VisitEraser, VisitLog, VisitSink};
use slugline_testkit::{
    ClickHouseEngine::Library,
    FixedClock, NOON, SeededRandom,
    visit_store_contract::{VisitStore, run_suite},
};
use tempfile::TempDir;

use super::{
    address::Address,
    erasing::orders,
    recording::{eventually, is_unshipped, options, seed},
};
use crate::log::ClickHouseLog;

/// A node with a database of its own.
struct Node {
    recorder: Recorder,
    log: ClickHouseLog,
    clock: Arc<FixedClock>,
    folder: TempDir,
}

impl Node {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (options, _) = options(&Address::shared(Library), folder.path());
        let clock = Arc::new(FixedClock::at(NOON));
        let ports = RecorderPorts::new(clock.clone(), Arc::new(SeededRandom::new(seed())));
        let started = crate::start(options, RecorderOptions::default(), ports).await;
        let (recorder, log) = started.unwrap();
        Self {
            recorder,
            log,
            clock,
            folder,
        }
    }

    fn waits(&self) -> bool {
        is_unshipped(self.folder.path()) || orders(self.folder.path()) > 0
    }
}

impl VisitStore for Node {
    fn sink(&self) -> &dyn VisitSink {
        &self.recorder
    }

    fn log(&self) -> &dyn VisitLog {
        &self.log
    }

    fn eraser(&self) -> &dyn VisitEraser {
        &self.recorder
    }

    fn time_passes(&self, seconds: i64) {
        self.clock.advance_seconds(seconds);
    }

    async fn settle(&self) {
        self.recorder.flush().await.unwrap();
        eventually("an empty spool", async || !self.waits()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_keeps_the_contract() {
    run_suite(Node::start).await;
}
