//! Kills nodes while they count days.

use std::{
    env,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::Duration,
};

use slugline_testkit::ClickHouseEngine::Library;

use super::{
    address::Address,
    breaking_wire::{At, Fault::Hangs, HANGS},
    counted::{Counted, two_days_in},
    day_faults::{age_counts, expect_no_leftovers, node},
};

/// Gives the child process the address of ClickHouse, and the number of changes before it hangs.
const TARGET: &str = "SLUGLINE_TEST_COUNT_CLICKHOUSE_URL";
const CHANGES: &str = "SLUGLINE_TEST_COUNT_CHANGES";

/// What the child process writes if it has not come to hang.
const DONE: &str = "has counted";

/// The child: counts days, and waits for ever for an answer. Does nothing in an ordinary run.
#[tokio::test]
async fn child_counts_days_until_it_is_killed() {
    let told = |name| env::var_os(name)?.into_string().ok();
    let Some(url) = told(TARGET) else {
        return;
    };
    let changes: u8 = told(CHANGES).unwrap().parse().unwrap();
    // Each node draws other numbers.
    let (mut upkeep, wire) = node(Address::at(&url, Library).target, 100 + u64::from(changes));
    wire.break_at(Hangs, At::Change(changes.into()));
    for _ in 0..2 {
        upkeep.round().await.unwrap();
    }
    println!("{DONE}");
}

/// Kills a child that hangs. Returns whether there was one.
fn run_and_kill(url: &str, changes: u8) -> bool {
    let mut child = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "tests::day_kills::child_counts_days_until_it_is_killed",
            "--nocapture",
        ])
        .env(TARGET, url)
        .env(CHANGES, changes.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let last = lines.find_map(|line| {
        let line = line.unwrap();
        [HANGS, DONE].into_iter().find(|end| line.ends_with(end))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    last.expect("the child counts or hangs") == HANGS
}

#[tokio::test]
async fn a_node_that_is_killed_after_any_change_makes_no_answer_wrong_and_others_count() {
    // Plans of questions stay in memory.
    let mut log = two_days_in(Counted::keeping(Duration::from_hours(1)).await).await;
    let url = log.asked.url();
    for changes in 0.. {
        let when = format!("if a node is killed after {changes} changes and one more");
        age_counts(&log).await;
        log.change().await;
        let url = url.clone();
        let killed = tokio::task::spawn_blocking(move || run_and_kill(&url, changes));
        let killed = killed.await.unwrap();
        log.expect_right_answers(&when).await;
        log.change_back().await;
        log.expect_right_answers(&when).await;
        log.count_days().await;
        log.expect_right_answers(&when).await;
        log.expect_totals(&when).await;
        if !killed {
            assert!(changes > 7, "the child makes {changes} changes only");
            break;
        }
    }
    expect_no_leftovers(&mut log).await;
}
