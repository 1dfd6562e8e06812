//! Nodes that have lost the connection for announcements.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use serde_json::json;

use super::{
    all_answer, all_have_heard, all_hear, all_lead_to, at_once, cluster, create, edit, hears,
    listener, location, start,
};
use crate::support::{
    own_database::OwnDatabase,
    relay::Relay,
    server::{Server, eventually, pause},
};

#[test]
fn nothing_stays_outdated_when_listeners_are_cut_while_links_change() {
    const LINKS: usize = 10;
    const CUTS: u64 = 25;

    let (mut database, nodes) = cluster("cut_listeners", 2);
    let slug = |number: usize| format!("busy-{number}");
    for number in 0..LINKS {
        nodes[0].create(&json!({"slug": slug(number), "url": "https://example.com/0"}));
    }
    let is_over = AtomicBool::new(false);
    let mut versions = 0_u64;
    thread::scope(|scope| {
        // A visit to each node puts the links into its cache.
        for node in &nodes {
            let is_over = &is_over;
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    for number in 0..LINKS {
                        pause();
                        assert_eq!(node.visit(&format!("/{}", slug(number))).status, 301);
                    }
                }
            });
        }
        let cutter = scope.spawn(|| {
            let mut cuts = 0;
            while cuts < CUTS {
                cuts += database.cut_listeners();
                thread::sleep(std::time::Duration::from_millis(20));
            }
        });
        while !cutter.is_finished() {
            versions += 1;
            for number in 0..LINKS {
                edit(
                    &nodes[0],
                    &slug(number),
                    &format!("https://example.com/{versions}"),
                );
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    for number in 0..LINKS {
        let latest = format!("https://example.com/{versions}");
        all_lead_to(&nodes, &slug(number), &latest);
    }
    all_hear(&nodes);
}

#[test]
fn a_node_that_hears_nothing_says_so_and_reads_links_again() {
    let (mut database, nodes) = cluster("deaf", 2);
    nodes[0].create(&json!({"slug": "docs", "url": "https://example.com/"}));
    all_lead_to(&nodes, "docs", "https://example.com/");

    // Open sessions continue, and no listener gets a new one.
    let name = database.name().to_owned();
    let allow = |database: &mut OwnDatabase, allowed: bool| {
        let order = format!("ALTER DATABASE {name} ALLOW_CONNECTIONS {allowed}; SELECT 'done';");
        assert_eq!(database.ask_the_server(&order), "done");
    };
    allow(&mut database, false);
    database.cut_listeners();
    for node in &nodes {
        eventually("the node knows that it hears nothing", || !hears(node));
        let listener = listener(node);
        assert_eq!(listener["status"], "degraded");
        let reason = listener["reasons"][0].as_str().unwrap();
        assert!(reason.contains("announces no changes"), "{reason}");
    }
    edit(&nodes[0], "docs", "https://example.org/");
    all_lead_to(&nodes, "docs", "https://example.org/");
    assert!(!hears(&nodes[1]), "it read the link again by itself");

    allow(&mut database, true);
    all_hear(&nodes);
    edit(&nodes[0], "docs", "https://example.net/");
    all_lead_to(&nodes, "docs", "https://example.net/");
}

/// A node with a relay between it and the database, and one without.
fn relayed(database: &OwnDatabase) -> (Relay, [Server; 2]) {
    let (relay, url) = Relay::before(database.url());
    let [far] = start(1, &url).try_into().ok().unwrap();
    let [near] = start(1, database.url()).try_into().ok().unwrap();
    let nodes = [far, near];
    all_hear(&nodes);
    (relay, nodes)
}

#[test]
fn a_node_cut_off_from_the_database_catches_up_when_it_is_back() {
    let database = OwnDatabase::create("split");
    let (relay, nodes) = relayed(&database);
    for (round, silent) in [false, true].into_iter().enumerate() {
        let slug = format!("split-{round}");
        let gone = format!("gone-{round}");
        for slug in [&slug, &gone] {
            nodes[1].create(&json!({"slug": slug, "url": "https://example.com/"}));
        }
        all_have_heard(&nodes, &format!("last-{round}"));
        for slug in [&slug, &gone] {
            all_lead_to(&nodes, slug, "https://example.com/");
        }
        if silent {
            relay.be_silent(true);
        } else {
            relay.cut();
        }
        edit(&nodes[1], &slug, "https://example.org/");
        let delete = nodes[1].api("POST", "/api/link/delete");
        assert_eq!(delete.json(&json!({"slug": gone})).send().status, 204);
        // Cached links still work, unchanged.
        for _ in 0..20 {
            assert_eq!(location(&nodes[0], &slug), "https://example.com/");
        }
        if silent {
            relay.be_silent(false);
        } else {
            relay.mend();
        }
        all_lead_to(&nodes, &slug, "https://example.org/");
        all_answer(&nodes, &gone, 404);
        all_hear(&nodes);
    }
}

#[test]
fn connections_that_died_without_a_sign_are_replaced() {
    let database = OwnDatabase::create("stranded");
    let (relay, nodes) = relayed(&database);
    nodes[1].create(&json!({"slug": "docs", "url": "https://example.com/"}));
    all_lead_to(&nodes, "docs", "https://example.com/");
    // As many connections as the pool allows.
    let visit = |number| nodes[0].visit(&format!("/unknown-{number}"));
    at_once((0..20).collect(), visit);
    relay.strand_sessions();
    edit(&nodes[1], "docs", "https://example.org/");
    all_lead_to(&nodes, "docs", "https://example.org/");
    all_hear(&nodes);
    eventually("the node writes again", || create(&nodes[0]).status == 201);
}
