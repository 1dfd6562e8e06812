//! Kills the recorder and ClickHouse at random points.

use std::{
    collections::HashMap,
    env,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use rstest::rstest;
use slugline_domain::{
    CountersQuery,
    ports::{Random, VisitLog},
};
use slugline_testkit::{
    ClickHouse,
    ClickHouseEngine::{self, Library, Server},
    KilledTest, SeededRandom,
};

use super::{
    address::Address,
    lacks::{self, Feature},
    recording::{Recording, eventually, waiting},
};

/// Gives the child process the folder of its spool, the address of ClickHouse, and the number
/// of its first visit.
const FOLDER: &str = "SLUGLINE_TEST_SPOOL_FOLDER";
const TARGET: &str = "SLUGLINE_TEST_CLICKHOUSE_URL";
const ENGINE: &str = "SLUGLINE_TEST_CLICKHOUSE_ENGINE";
const FIRST: &str = "SLUGLINE_TEST_FIRST_VISIT";

const ROUNDS: usize = 6;

/// The child: records as fast as it can, sometimes loses acknowledgements, and reports the
/// number of durable visits. Does nothing in an ordinary run.
#[tokio::test]
async fn child_records_until_it_is_killed() {
    let told = |name| env::var_os(name)?.into_string().ok();
    let Some(folder) = told(FOLDER).map(PathBuf::from) else {
        return;
    };
    let engine = [Library, Server].map(|engine| (format!("{engine:?}"), engine));
    let engine = HashMap::from(engine)[&told(ENGINE).unwrap()];
    let address = Address::at(&told(TARGET).unwrap(), engine);
    let mut next = told(FIRST).unwrap().parse().unwrap();
    let recording = Recording::start(&address, &folder).await;
    loop {
        if lacks::has(engine, Feature::Tokens) {
            recording.wire.lose(1);
        }
        recording.record(next..next + 47);
        next += 47;
        recording.recorder.flush().await.unwrap();
        println!("durable {next}");
        std::io::stdout().flush().unwrap();
    }
}

/// Lets the child work for a while, kills it, and returns the last number of
/// visits that it had acknowledged.
fn run_and_kill(
    folder: &Path,
    (url, engine): (&str, ClickHouseEngine),
    first: u32,
    lines: usize,
    pause: Duration,
) -> u32 {
    let mut child = KilledTest::start(
        "tests::crash::child_records_until_it_is_killed",
        [
            (FOLDER, folder.as_os_str()),
            (TARGET, url.as_ref()),
            (ENGINE, format!("{engine:?}").as_ref()),
            (FIRST, first.to_string().as_ref()),
        ],
    );
    let mut last = String::new();
    for _ in 0..=lines {
        last = child.says("durable ").expect("it works until it is killed");
    }
    std::thread::sleep(pause);
    child.kill("durable ").unwrap_or(last).parse().unwrap()
}

#[rstest]
#[tokio::test]
async fn visits_of_killed_processes_are_counted_once(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let random = SeededRandom::new(9);
    let draw = |end: u64| {
        let mut bytes = [0; 8];
        random.fill(&mut bytes);
        u64::from_le_bytes(bytes) % end
    };
    let folder = tempfile::tempdir().unwrap();
    let mut server = ClickHouse::start(engine);
    let url = server.url("visits");
    let mut acknowledged = 0;
    for round in 0..ROUNDS {
        let (path, url) = (folder.path().to_owned(), url.clone());
        let lines = usize::try_from(draw(12)).unwrap();
        let pause = Duration::from_micros(draw(60_000));
        // Visits without an acknowledgement may still have arrived. A gap in the numbers keeps
        // them apart.
        let first = acknowledged + 10_000;
        acknowledged = tokio::task::spawn_blocking(move || {
            run_and_kill(&path, (&url, engine), first, lines, pause)
        })
        .await
        .unwrap();
        if round % 2 == 1 {
            server = server.kill().restart();
        }
        let recording = Recording::start(&Address::of(&server), folder.path()).await;
        eventually("an empty spool", async || waiting(folder.path()) == 0).await;
        let found = recording.span(first, acknowledged).await;
        let expected = u64::from(acknowledged - first);
        assert_eq!(found.visitors, expected, "round {round}");
        if lacks::has(engine, Feature::Tokens) {
            let all = recording.span(0, u32::MAX).await;
            assert_eq!(all.visits, all.visitors, "a visit is there twice");
        }
        let counters = recording.log.counters(&CountersQuery::default()).await;
        let note = counters.unwrap().sampling;
        assert!(!note.exact(), "a kill may have lost visits");
        recording.recorder.shutdown().await;
    }
}
