//! The PostgreSQL server restarts, or hangs.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use rstest::rstest;
use serde_json::json;

use super::{all_have_heard, all_hear, all_lead_to, at_once, cluster, create, edit, start};
use crate::support::{
    own_postgres::OwnPostgres,
    server::{Answer, Server, eventually, pause},
};

const LINKS: usize = 20;

fn slug(number: usize) -> String {
    format!("known-{number}")
}

/// Creates links and follows each once on every node.
fn make_known_links(nodes: &[Server]) {
    for number in 0..LINKS {
        nodes[0].create(&json!({"slug": slug(number), "url": "https://example.com/"}));
    }
    all_have_heard(nodes, "last");
    for number in 0..LINKS {
        all_lead_to(nodes, &slug(number), "https://example.com/");
    }
}

/// Follows every known link on every node repeatedly during some events. Returns the number of
/// redirects, and all other answers.
fn follow_while(nodes: &[Server], events: impl FnOnce()) -> (u64, Vec<String>) {
    let is_over = AtomicBool::new(false);
    let followed = AtomicU64::new(0);
    let mut failed = Vec::new();
    thread::scope(|scope| {
        let visitors: Vec<_> = nodes
            .iter()
            .map(|node| {
                let (is_over, followed) = (&is_over, &followed);
                scope.spawn(move || {
                    let mut failed = Vec::new();
                    while !is_over.load(Ordering::Relaxed) {
                        for number in 0..LINKS {
                            pause();
                            let answer = node.visit(&format!("/{}", slug(number)));
                            followed.fetch_add(1, Ordering::Relaxed);
                            if answer.status != 301 {
                                failed.push(format!("{}: {}", answer.status, answer.text));
                            }
                        }
                    }
                    failed
                })
            })
            .collect();
        events();
        is_over.store(true, Ordering::Relaxed);
        for visitor in visitors {
            failed.extend(visitor.join().unwrap());
        }
    });
    (followed.into_inner(), failed)
}

fn assert_unavailable(answer: &Answer) {
    assert_eq!(answer.status, 503, "{}", answer.text);
    assert_eq!(answer.header("retry-after"), "5");
}

#[test]
fn no_redirect_fails_while_the_database_restarts_and_no_write_is_lost() {
    let server = OwnPostgres::start();
    let nodes = start(2, &server.url());
    all_hear(&nodes);
    make_known_links(&nodes);
    let mut made = Vec::new();
    let (followed, failed) = follow_while(&nodes, || {
        for (round, mode) in ["fast", "immediate", "fast", "immediate"]
            .iter()
            .enumerate()
        {
            thread::scope(|scope| {
                let restart = scope.spawn(|| server.restart(mode));
                let mut attempt = 0;
                while !restart.is_finished() {
                    attempt += 1;
                    let slug = format!("made-{round}-{attempt}");
                    let link = json!({"slug": slug, "url": "https://example.com/"});
                    let call = nodes[0].api("POST", "/api/link/create").json(&link);
                    let answer = call.send();
                    match answer.status {
                        201 => made.push(slug),
                        _ => assert_unavailable(&answer),
                    }
                }
                restart.join().unwrap();
            });
        }
    });
    assert_eq!(failed, Vec::<String>::new(), "of {followed}");
    for slug in &made {
        all_lead_to(&nodes, slug, "https://example.com/");
    }
    all_hear(&nodes);
    edit(&nodes[1], &slug(0), "https://example.org/");
    all_lead_to(&nodes, &slug(0), "https://example.org/");
    println!(
        "{followed} redirects, none failed; {} links made",
        made.len()
    );
}

#[test]
fn a_database_that_is_too_slow_keeps_no_client_waiting_for_ever() {
    let (database, nodes) = cluster("slow", 1);
    make_known_links(&nodes);
    let mut hand = database.open();
    let (followed, failed) = follow_while(&nodes, || {
        let locked = hand.ask("BEGIN; LOCK TABLE short_links; SELECT 'locked';");
        assert_eq!(locked, "locked");
        // More concurrent requests of each kind than connections to the database.
        at_once((0..60).collect(), |number| {
            assert_unavailable(&match number % 3 {
                0 => nodes[0].visit(&format!("/unknown-{number}")),
                1 => nodes[0].get("/api/link/list"),
                _ => create(&nodes[0]),
            });
        });
        hand.ask("COMMIT; SELECT 'free';");
    });
    assert_eq!(failed, Vec::<String>::new(), "of {followed}");
    eventually("the node writes again", || create(&nodes[0]).status == 201);
}

fn suspend(server: &OwnPostgres) {
    server.signal("STOP");
    thread::sleep(Duration::from_secs(4));
    server.signal("CONT");
}

fn restart(server: &OwnPostgres) {
    server.restart("immediate");
}

#[rstest]
#[case::suspended(suspend)]
#[case::restarted(restart)]
fn unknown_slugs_are_answered_as_soon_as_a_node_writes_again(#[case] outage: fn(&OwnPostgres)) {
    const LOOKS: usize = 20;

    let server = OwnPostgres::start();
    let nodes = start(1, &server.url());
    all_hear(&nodes);
    let node = &nodes[0];
    for round in 0..3 {
        let is_over = AtomicBool::new(false);
        let statuses: Vec<u16> = thread::scope(|scope| {
            for visitor in 0..8 {
                let is_over = &is_over;
                scope.spawn(move || {
                    for number in 0.. {
                        node.visit(&format!("/guess-{round}-{visitor}-{number}"));
                        if is_over.load(Ordering::Relaxed) {
                            break;
                        }
                    }
                });
            }
            outage(&server);
            eventually("the node writes again", || create(node).status == 201);
            let looks = 0..LOOKS;
            let status = |number| node.visit(&format!("/unknown-{round}-{number}")).status;
            let statuses = looks.map(status).collect();
            is_over.store(true, Ordering::Relaxed);
            statuses
        });
        assert_eq!(statuses, [404; LOOKS], "in round {round}");
    }
}

#[test]
fn a_database_that_stops_in_its_tracks_keeps_no_client_waiting_for_ever() {
    let server = OwnPostgres::start();
    let nodes = start(2, &server.url());
    all_hear(&nodes);
    make_known_links(&nodes);
    let (followed, failed) = follow_while(&nodes, || {
        server.signal("STOP");
        at_once((0..20).collect(), |number| {
            let node = &nodes[number % 2];
            assert_unavailable(&node.visit(&format!("/unknown-{number}")));
            // Each request has a timeout far below this client's.
            assert_unavailable(&create(node));
            assert_unavailable(&node.get("/api/link/list"));
            assert_eq!(node.visit("/_health/ready").status, 503);
        });
        server.signal("CONT");
        eventually("both nodes write again", || {
            nodes.iter().all(|node| create(node).status == 201)
        });
    });
    assert_eq!(failed, Vec::<String>::new(), "of {followed}");
    all_hear(&nodes);
    edit(&nodes[1], &slug(0), "https://example.org/");
    all_lead_to(&nodes, &slug(0), "https://example.org/");
}
