//! The watch of destinations on several nodes.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::json;
use url::Url;

use crate::support::{
    outsider::{Outsider, answer},
    own_database::OwnDatabase,
    server::{Server, eventually},
};

fn node(database: &Url, every: &str) -> Server {
    Server::start_with(&[
        ("SLUGLINE_DATABASE_URL", database.as_str()),
        ("SLUGLINE_CHECK_ALLOWED_NETWORKS", "127.0.0.0/8"),
        ("SLUGLINE_WATCH_EVERY", every),
    ])
}

#[test]
fn each_destination_is_asked_by_one_node_and_a_host_once_at_a_time() {
    /// With this time between requests, two to one destination are at least 3.6 seconds apart.
    const EVERY: &str = "4";

    let asked = Arc::new(Mutex::new(HashMap::<String, Vec<Instant>>::new()));
    let (log, present, most) = (
        Arc::clone(&asked),
        Arc::new(AtomicUsize::new(0)),
        Arc::new(AtomicUsize::new(0)),
    );
    let seen = Arc::clone(&most);
    let outsider = Outsider::start(move |heard| {
        most.fetch_max(present.fetch_add(1, SeqCst) + 1, SeqCst);
        let mut log = log.lock().unwrap();
        log.entry(heard.line.clone())
            .or_default()
            .push(Instant::now());
        drop(log);
        sleep(Duration::from_millis(300));
        present.fetch_sub(1, SeqCst);
        answer("200 OK", "")
    });
    let database = OwnDatabase::create("watching");
    let nodes = [node(database.url(), EVERY), node(database.url(), EVERY)];
    for number in 0..5 {
        let url = outsider.url(&format!("/{number}"));
        nodes[0].create(&json!({"slug": format!("s{number}"), "url": url}));
    }
    eventually("each is asked twice", || {
        let asked = asked.lock().unwrap();
        asked.len() == 5 && asked.values().all(|times| times.len() >= 2)
    });
    assert_eq!(seen.load(SeqCst), 1, "requests to one host overlapped");
    for (line, times) in asked.lock().unwrap().iter() {
        for (one, next) in times.iter().zip(times.iter().skip(1)) {
            let apart = next.duration_since(*one);
            assert!(apart >= Duration::from_secs(3), "{line}: {apart:?} apart");
        }
    }
}

#[test]
fn another_node_goes_on_after_one_that_died_while_it_asked() {
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    let outsider = Outsider::start_with(move |_, stream| {
        if count.fetch_add(1, SeqCst) == 0 {
            // Never answers the first request.
            let _ = std::io::Read::read(stream, &mut [0]);
        } else {
            let _ = std::io::Write::write_all(stream, answer("200 OK", "").as_bytes());
        }
    });
    let database = OwnDatabase::create("watching_death");
    let first = node(database.url(), "2");
    first.create(&json!({"slug": "docs", "url": outsider.url("/")}));
    eventually("it is asked", || requests.load(SeqCst) == 1);
    first.kill();
    let _second = node(database.url(), "2");
    eventually("another node asks", || requests.load(SeqCst) > 1);
}
