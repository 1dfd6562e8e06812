//! Nodes are killed while they empty the trash, or watch destinations and tell a webhook.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, sleep},
    time::Duration,
};

use rstest::rstest;
use serde_json::{Value, json};

use super::{cluster, start};
use crate::{
    faults::{
        amount::{Random, factor},
        deaths::kill,
    },
    support::{
        outsider::{Outsider, answer},
        own_database::OwnDatabase,
        server::{Server, eventually},
        sqlite,
    },
};

/// Some more than a node removes in one transaction.
const LINKS: usize = 120;

/// Puts links with this beginning of their slugs into the trash, each with two versions. Returns
/// their ids.
fn fill_trash(node: &Server, beginning: &str) -> Vec<String> {
    let slugs = (0..LINKS).map(|number| format!("{beginning}-{number}"));
    let slugs: Vec<String> = slugs.collect();
    for some in slugs.chunks(100) {
        let links = some.iter();
        let links = links.map(|slug| json!({"slug": slug, "url": "https://example.com/"}));
        let document = json!({"version": "1.0", "links": links.collect::<Vec<Value>>()});
        node.post("/api/link/import", &document).is(200);
    }
    let ids = slugs.iter().map(|slug| {
        let link = node.link(slug);
        link["id"].as_str().unwrap().to_owned()
    });
    let ids = ids.collect();
    for batch in [
        json!({"action": "addTags", "tags": ["a"], "slugs": slugs}),
        json!({"action": "delete", "slugs": slugs}),
    ] {
        node.post("/api/link/batch", &batch).is(200);
    }
    ids
}

#[rstest]
#[case::postgres(2)]
#[case::sqlite(1)]
fn a_killed_node_leaves_no_half_of_a_link_that_it_removes_for_good(#[case] count: usize) {
    let mut random = Random::new();
    let (database, mut nodes) = if count > 1 {
        let (database, nodes) = cluster("emptied", count);
        (Some(database), nodes)
    } else {
        (None, vec![Server::start()])
    };
    fill_trash(&nodes[0], "kept");
    fill_trash(&nodes[0], "old");
    let mut gone = BTreeSet::new();
    let mut left = fill_trash(&nodes[0], "purged");
    let mut hand = database.as_ref().map(OwnDatabase::open);
    let mut ask = |nodes: &[Server], question: &str| match &mut hand {
        Some(hand) => hand.ask(&format!("{question};")),
        None => sqlite::execute(&nodes[0].folder().join("links.db"), question),
    };
    let halves = "SELECT count(*) FROM (\
        SELECT id FROM link_versions GROUP BY id HAVING count(*) <> 2) AS halves";
    let between = if count > 1 { ";" } else { ";;" };
    let mut kills = 0;
    // A start empties the trash.
    for round in 0..8 * factor() {
        let aged = format!(
            "UPDATE link_versions SET deleted_at = 1 WHERE deleted_at IS NOT NULL \
             AND slug LIKE 'old-%{}'{between} SELECT 'aged'",
            round % 10
        );
        assert_eq!(ask(&nodes, &aged), "aged");
        let victim = usize::try_from(random.below(count.try_into().unwrap())).unwrap();
        thread::scope(|scope| {
            let node = &nodes[victim];
            let purging = scope.spawn(|| {
                let mut purged = Vec::new();
                while let Some(id) = left.pop() {
                    let body = json!({"id": id, "purge": true});
                    let call = node.api("POST", "/api/link/delete").json(&body);
                    let Ok(answer) = call.try_send() else { break };
                    assert_eq!(answer.status, 204, "{}", answer.text);
                    purged.push(id);
                }
                purged
            });
            sleep(Duration::from_millis(random.below(60)));
            kill(node.process_id());
            gone.extend(purging.join().unwrap());
        });
        let dead = nodes.remove(victim);
        nodes.insert(
            victim,
            match &database {
                Some(database) => start(1, database.url()).pop().unwrap(),
                None => Server::start_in(dead.kill(), &[]),
            },
        );
        assert_eq!(ask(&nodes, halves), "0", "a part of a link");
        kills += 1;
    }
    eventually("the trash has nothing old", || {
        let old = "SELECT count(*) FROM link_versions WHERE deleted_at = 1";
        ask(&nodes, old) == "0"
    });
    assert_eq!(ask(&nodes, halves), "0", "a part of a link");
    let kept = "SELECT count(DISTINCT id) FROM link_versions WHERE slug LIKE 'kept-%'";
    assert_eq!(ask(&nodes, kept), LINKS.to_string());
    // A kill may come before the first answer.
    gone.insert("none".to_owned());
    let purged: Vec<String> = gone.iter().map(|id| format!("'{id}'")).collect();
    let came_back = format!(
        "SELECT count(*) FROM link_versions WHERE id IN ({})",
        purged.join(", ")
    );
    assert_eq!(ask(&nodes, &came_back), "0", "acknowledged");
    println!("{kills} kills; {} links purged", gone.len());
}

#[test]
fn nodes_that_die_while_they_watch_and_tell_say_nothing_wrong() {
    let mut random = Random::new();
    let works = Arc::new(AtomicBool::new(true));
    let outsider = Outsider::there_while(&works);
    let hooks = Outsider::start(|_| answer("204 No Content", ""));
    let database = OwnDatabase::create("watching_deaths");
    let settings = [
        ("SLUGLINE_DATABASE_URL", database.url().as_str()),
        ("SLUGLINE_CHECK_ALLOWED_NETWORKS", "127.0.0.0/8"),
        ("SLUGLINE_WATCH_EVERY", "1"),
        ("SLUGLINE_WEBHOOK_URL", &hooks.url("/hook")),
    ];
    let mut nodes = [(); 3].map(|()| Server::start_with(&settings));
    nodes[0].create(&json!({"slug": "docs", "url": outsider.url("/")}));
    let news = || {
        let heard = hooks.heard().into_iter();
        let heard = heard.map(|heard| serde_json::from_slice::<Value>(&heard.body).unwrap());
        let news = heard.filter(|message| message["data"]["link"]["slug"] == "docs");
        let news = news.map(|message| message["event"].as_str().unwrap().to_owned());
        news.filter(|event| event != "link.clicked")
            .collect::<Vec<String>>()
    };
    let rounds = 6 * factor();
    for round in 1..=rounds {
        let is_broken = works.fetch_xor(true, Relaxed);
        // The last change is told without a death.
        if round < rounds {
            sleep(Duration::from_millis(random.below(2_500)));
            let victim = usize::try_from(random.below(3)).unwrap();
            kill(nodes[victim].process_id());
            nodes[victim] = Server::start_with(&settings);
        }
        for node in &nodes {
            eventually("the present answer is told", || {
                node.link("docs")["broken"].is_null() != is_broken
            });
        }
    }
    eventually("the last change is told", || {
        news().last().map(String::as_str) == Some("link.mended")
    });
    // A node that dies between the change and the message leaves no message.
    for event in ["link.broken", "link.mended"] {
        let told = news().into_iter().filter(|told| told == event).count();
        assert!(told <= usize::try_from(rounds / 2).unwrap(), "{:?}", news());
    }
}
