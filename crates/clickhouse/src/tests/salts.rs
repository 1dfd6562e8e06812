//! Salts: a visitor is the same on all nodes.

use std::{sync::Arc, time::Duration};

use rstest::rstest;
use slugline_analytics::{SaltPeriod, journal::open::open_file};
use slugline_domain::{UnixSeconds, ports::Clock};
use slugline_testkit::{
    ClickHouseEngine::{self, Library, Server},
    FixedClock, SeededRandom,
};

use super::{
    address::Address,
    recording::{Recording, eventually, total, waiting},
};
use crate::{client::Client, row_binary::number, salts::SharedSalts, schema, spool};

const TIMEOUT: Duration = Duration::from_mins(1);

#[tokio::test]
async fn a_visitor_of_two_nodes_is_one() {
    let address = Address::shared(Library);
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for folder in &folders {
        let node = Recording::start(&address, folder.path()).await;
        node.record(7..8);
        node.recorder.shutdown().await;
    }
    let node = Recording::start(&address, folders[0].path()).await;
    let found = total(&node.log).await.unwrap();
    assert_eq!((found.visits, found.visitors), (2, 1));
}

#[tokio::test]
async fn nodes_that_began_without_clickhouse_agree_once_it_is_there() {
    let (address, server) = Address::away(Library);
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut nodes = Vec::new();
    for folder in &folders {
        let node = Recording::start(&address, folder.path()).await;
        node.record(7..8);
        node.recorder.flush().await.unwrap();
        nodes.push(node);
    }
    let _server = server.restart();
    for folder in &folders {
        eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    }
    let apart = total(&nodes[0].log).await.unwrap();
    assert_eq!((apart.visits, apart.visitors), (2, 2));

    for node in &nodes {
        node.record(7..8);
        node.recorder.flush().await.unwrap();
    }
    eventually("four visits", async || {
        total(&nodes[0].log)
            .await
            .is_ok_and(|found| found.visits == 4)
    })
    .await;
    // Both use the salt of one node, so there is no third visitor.
    assert_eq!(total(&nodes[0].log).await.unwrap().visitors, 2);
}

async fn salts_kept(client: &Client) -> u64 {
    let sql = "SELECT count() FROM slugline_salt";
    client.rows(sql, TIMEOUT, number).await.unwrap()[0]
}

#[rstest]
#[tokio::test]
async fn salts_are_deleted_everywhere_when_their_period_is_over(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    const DAY: i64 = 86_400;
    // 2026-01-01.
    const MIDNIGHT: i64 = 1_767_225_600;

    let (address, folder) = (Address::shared(engine), tempfile::tempdir().unwrap());
    let client = address.client();
    schema::prepare(&client, None).await.unwrap();
    let mut file = open_file(&spool::FILE, &folder.path().join("spool.db")).unwrap();
    let noon = MIDNIGHT + DAY / 2;
    let steady = "INSERT INTO clock VALUES (1, ?1, NULL)";
    file.execute(steady, [noon * 1_000]).unwrap();
    let clock = Arc::new(FixedClock::at(UnixSeconds::new(noon).unwrap()));
    let mut salts = SharedSalts::new(
        SaltPeriod::Day,
        clock.clone(),
        Arc::new(SeededRandom::new(1)),
        Arc::default(),
    );
    salts.agree(&client, &mut file).await.unwrap();
    salts.agree(&client, &mut file).await.unwrap();
    assert_eq!(salts_kept(&client).await, 1);
    // Half an hour before midnight the next salt exists as well.
    clock.advance_seconds(DAY / 2 - 1_800);
    salts.agree(&client, &mut file).await.unwrap();
    assert_eq!(salts_kept(&client).await, 2);
    // A clock that jumps ends no salt.
    for jump in [DAY / 2, -DAY / 2] {
        clock.advance_seconds(jump);
        salts.agree(&client, &mut file).await.unwrap();
    }
    let kept = kept_since(MIDNIGHT);
    assert_eq!(client.rows(&kept, TIMEOUT, number).await.unwrap(), [1]);
    // When it has gone on for an hour, the first salt is deleted, although no new one is needed.
    for _ in 0..=60 {
        clock.advance_seconds(60);
        salts.agree(&client, &mut file).await.unwrap();
    }
    eventually("one salt", async || salts_kept(&client).await == 1).await;
    let newest = "SELECT toUInt64(min(start_ms)) FROM slugline_salt";
    let newest = client.rows(newest, TIMEOUT, number).await.unwrap();
    assert_eq!(newest, [u64::try_from((MIDNIGHT + DAY) * 1_000).unwrap()]);
    // A computer that slept for two days deletes it at once.
    clock.advance_seconds(DAY);
    salts.agree(&client, &mut file).await.unwrap();
    clock.advance_seconds(DAY);
    salts.agree(&client, &mut file).await.unwrap();
    eventually("the end of the second salt", async || {
        client
            .rows(&kept_since(MIDNIGHT + DAY), TIMEOUT, number)
            .await
            .unwrap()
            == [0]
    })
    .await;
}

#[rstest]
#[tokio::test]
async fn a_node_whose_clock_is_wrong_for_days_does_not_end_the_salts_of_all(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    // Some 70 years from now.
    const FAR: i64 = 4_000_000_000;

    let (address, folder) = (Address::shared(engine), tempfile::tempdir().unwrap());
    let client = address.client();
    schema::prepare(&client, None).await.unwrap();
    let right: Arc<dyn Clock> = Arc::new(FixedClock::at(client_now(&client).await));
    let clock = Arc::new(FixedClock::at(UnixSeconds::new(FAR).unwrap()));
    let wrong: Arc<dyn Clock> = Arc::<FixedClock>::clone(&clock);
    let mut nodes = Vec::new();
    for (name, clock) in [("right", right), ("wrong", wrong)] {
        let mut file = open_file(&spool::FILE, &folder.path().join(name)).unwrap();
        let steady = "INSERT INTO clock VALUES (1, ?1, NULL)";
        file.execute(steady, [clock.now().get()]).unwrap();
        let random = Arc::new(SeededRandom::new(1));
        let mut salts = SharedSalts::new(SaltPeriod::Day, clock, random, Arc::default());
        salts.agree(&client, &mut file).await.unwrap();
        nodes.push((salts, file));
    }
    let (salts, file) = nodes.last_mut().unwrap();
    for _ in 0..=120 {
        clock.advance_seconds(60);
        salts.agree(&client, file).await.unwrap();
    }
    // The period of this salt has not ended for ClickHouse.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let today = "SELECT count() > 0 FROM slugline_salt WHERE start_ms < toInt64('3999000000000')";
    let today = today.replace("count() > 0", "toUInt64(count() > 0)");
    assert_eq!(client.rows(&today, TIMEOUT, number).await.unwrap(), [1]);
}

async fn client_now(client: &Client) -> UnixSeconds {
    let sql = "SELECT toUInt64(toUnixTimestamp(now()))";
    let now = client.rows(sql, TIMEOUT, number).await.unwrap()[0];
    UnixSeconds::new(now.try_into().unwrap()).unwrap()
}

/// The statement that counts salts of the period that begins at a second.
fn kept_since(start: i64) -> String {
    format!("SELECT count() FROM slugline_salt WHERE start_ms = toInt64('{start}000')")
}

#[rstest]
#[tokio::test]
async fn a_salt_of_another_length_of_period_goes_and_may_come_back(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let (address, folder) = (Address::shared(engine), tempfile::tempdir().unwrap());
    let client = address.client();
    schema::prepare(&client, None).await.unwrap();
    let clock = Arc::new(FixedClock::at(UnixSeconds::new(1_767_268_800).unwrap()));
    for (number, period) in (0..).zip([SaltPeriod::Never, SaltPeriod::Day, SaltPeriod::Never]) {
        // Each time it is a node without a spool.
        let path = folder.path().join(format!("{number}.db"));
        let mut file = open_file(&spool::FILE, &path).unwrap();
        let random = Arc::new(SeededRandom::new(number));
        let mut salts = SharedSalts::new(period, clock.clone(), random, Arc::default());
        salts.agree(&client, &mut file).await.unwrap();
        eventually("the salt of one period", async || {
            salts_kept(&client).await == 1
        })
        .await;
        clock.advance_seconds(3_600);
    }
}

#[tokio::test]
async fn visits_are_sent_although_salts_cannot_be_deleted() {
    const MIDNIGHT: i64 = 1_767_225_600;

    let (address, folder) = (Address::shared(Library), tempfile::tempdir().unwrap());
    let client = address.client();
    schema::prepare(&client, None).await.unwrap();
    let mut file = open_file(&spool::FILE, &folder.path().join("spool.db")).unwrap();
    let clock = Arc::new(FixedClock::at(UnixSeconds::new(MIDNIGHT).unwrap()));
    let random = Arc::new(SeededRandom::new(1));
    let mut salts = SharedSalts::new(SaltPeriod::Day, clock.clone(), random, Arc::default());
    salts.agree(&client, &mut file).await.unwrap();
    // Agreeing on a salt needs no table, but deleting does.
    client
        .run("DROP TABLE slugline_salt", TIMEOUT)
        .await
        .unwrap();
    clock.advance_seconds(60);
    salts.agree(&client, &mut file).await.unwrap();
}
