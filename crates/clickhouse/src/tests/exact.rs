//! An answer that says that it is exact is, also with several nodes.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use rusqlite::Connection;
use slugline_analytics::{Recorder, RecorderOptions, RecorderPorts, SamplingTargets};
use slugline_domain::{
    CountersQuery, LinkId,
    ports::{VisitEraser, VisitLog, VisitSink},
};
use slugline_testkit::{
    ClickHouseEngine::Library,
    FixedClock, NOON, SeededRandom,
    exactness_contract::{Answers, Recorded, exact_means_exact},
};
use tempfile::TempDir;

use super::{
    address::Address,
    recording::{eventually, is_unshipped, options, seed},
};
use crate::{log::ClickHouseLog, row_binary};

/// A node that records, and another one that answers.
struct TwoNodes {
    recorder: Recorder,
    recording: TempDir,
    answering: ClickHouseLog,
    _other: (Recorder, TempDir),
}

async fn node(address: &Address) -> (Recorder, ClickHouseLog, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (options, _) = options(address, folder.path());
    let sampling = RecorderOptions {
        sampling: SamplingTargets {
            per_link: NonZeroU32::new(10),
            overall: NonZeroU32::new(40),
        },
        ..RecorderOptions::default()
    };
    let ports = RecorderPorts::new(
        Arc::new(FixedClock::at(NOON)),
        Arc::new(SeededRandom::new(seed())),
    );
    let (recorder, log) = crate::start(options, sampling, ports).await.unwrap();
    (recorder, log, folder)
}

impl TwoNodes {
    async fn start(address: &Address) -> Self {
        let (recorder, _, recording) = node(address).await;
        let (other, answering, folder) = node(address).await;
        Self {
            recorder,
            recording,
            answering,
            _other: (other, folder),
        }
    }
}

impl Recorded for TwoNodes {
    fn sink(&self) -> &dyn VisitSink {
        &self.recorder
    }

    async fn settle(&self) {
        self.recorder.flush().await.unwrap();
        let folder = self.recording.path();
        eventually("an empty spool", async || !is_unshipped(folder)).await;
    }

    fn log(&self) -> &dyn VisitLog {
        &self.answering
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_another_node_that_says_that_it_is_exact_equals_the_plain_count() {
    let mut all = Answers::default();
    for seed in 0..4 {
        let nodes = TwoNodes::start(&Address::shared(Library)).await;
        let answers = exact_means_exact(&nodes, seed).await;
        all.not_empty += answers.not_empty;
        all.estimated += answers.estimated;
    }
    assert!(all.not_empty > 20 && all.estimated > 80, "{all:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_node_lost_makes_the_answers_of_others_inexact_and_counts_once() {
    let nodes = TwoNodes::start(&Address::shared(Library)).await;
    let spool = Connection::open(nodes.recording.path().join("spool.db")).unwrap();
    let minute = NOON.get() / 60;
    let add = |visits: i64| {
        let sql = "INSERT INTO loss (from_minute, until_minute, visits) VALUES (?1, ?1, ?2)";
        spool.execute(sql, [minute, visits]).unwrap();
    };
    let dropped = async || {
        let query = CountersQuery::default();
        let report = nodes.answering.counters(&query).await.unwrap();
        assert_eq!(report.sampling.exact(), report.sampling.dropped == 0);
        report.sampling.dropped
    };
    assert_eq!(dropped().await, 0);
    for (visits, all) in [(7, 7), (3, 10)] {
        add(visits);
        nodes.recorder.flush().await.unwrap();
        eventually("the other node knows", async || dropped().await == all).await;
    }
    let left = async || {
        let left = "SELECT (SELECT count(*) FROM loss) + (SELECT count(*) FROM loss_under_way)";
        let count: u32 = spool.query_row(left, [], |row| row.get(0)).unwrap();
        count
    };
    // ClickHouse has a loss before its node learns that and forgets it.
    eventually("the loss is forgotten", async || left().await == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_leaves_no_gap_that_names_the_link() {
    let address = Address::shared(Library);
    let nodes = TwoNodes::start(&address).await;
    let spool = Connection::open(nodes.recording.path().join("spool.db")).unwrap();
    let minute = NOON.get() / 60;
    for (link, slug) in [("erased-1", "erased"), ("other-1", "other")] {
        let sql = "INSERT INTO sampled (from_minute, until_minute, link_id, slug, interval) \
                   VALUES (?1, ?1, ?2, ?3, 8)";
        spool.execute(sql, (minute, link, slug)).unwrap();
    }
    nodes.settle().await;
    let client = address.client();
    let named = async || {
        let sql = "SELECT link_id FROM slugline_gap ORDER BY link_id";
        let found = client.rows(sql, Duration::from_mins(1), row_binary::text);
        found.await.unwrap()
    };
    assert_eq!(named().await, ["erased-1", "other-1"]);
    let erased = LinkId::parse("erased-1").unwrap();
    nodes.recorder.erase(&erased).await.unwrap();
    eventually("only the other link", async || named().await == ["other-1"]).await;
}
