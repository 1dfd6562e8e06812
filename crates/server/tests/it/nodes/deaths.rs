//! Nodes are killed while all nodes change and follow links.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread::{self, sleep},
    time::Duration,
};

use serde_json::json;

use super::{all_hear, all_lead_to, cluster, location, start};
use crate::{
    faults::{
        amount::{Random, factor},
        deaths::kill,
    },
    support::server::{Server, pause},
};

const NODES: usize = 3;

fn destination(version: u64) -> String {
    format!("https://example.com/{version}")
}

/// The work of a client of one node.
#[derive(Debug)]
struct Work {
    /// The version of its link that the node acknowledged last.
    version: u64,
    /// True if the node died before it answered.
    was_cut: bool,
    /// New links that the node acknowledged.
    made: Vec<String>,
}

/// Edits a link and creates others until told to stop or until the node dies.
fn work(node: &Server, link: &str, version: u64, stop: &AtomicBool) -> Work {
    let mut work = Work {
        version,
        was_cut: false,
        made: Vec::new(),
    };
    let send = |method, path, slug: &str, version| {
        let link = json!({"slug": slug, "url": destination(version)});
        node.api(method, path).json(&link).try_send().ok()?.is(201);
        Some(())
    };
    while !stop.load(Ordering::Relaxed) {
        let next = work.version + 1;
        work.was_cut = send("PUT", "/api/link/edit", link, next).is_none();
        if work.was_cut {
            break;
        }
        work.version = next;
        let slug = format!("{link}-{next}");
        work.was_cut = send("POST", "/api/link/create", &slug, 0).is_none();
        if work.was_cut {
            break;
        }
        work.made.push(slug);
    }
    work
}

#[test]
fn killed_nodes_lose_nothing_and_the_others_go_on() {
    let mut random = Random::new();
    let (database, mut nodes) = cluster("killed", NODES);
    let links: Vec<String> = (0..NODES).map(|number| format!("busy-{number}")).collect();
    let mut versions = [0; NODES];
    for link in &links {
        nodes[0].create(&json!({"slug": link, "url": destination(0)}));
    }
    let (mut writes, mut cut) = (0, 0);
    let followed = AtomicU64::new(0);
    let rounds = 3 * factor();
    for _ in 0..rounds {
        let victim = usize::try_from(random.below(3)).unwrap();
        let stop = AtomicBool::new(false);
        let works: Vec<Work> = thread::scope(|scope| {
            let (stop, links, followed) = (&stop, &links, &followed);
            let clients = nodes.iter().zip(links).zip(versions);
            let workers: Vec<_> = clients
                .map(|((node, link), version)| scope.spawn(move || work(node, link, version, stop)))
                .collect();
            for (number, node) in nodes.iter().enumerate() {
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        for link in links {
                            pause();
                            let visit = node.request("GET", &format!("/{link}")).try_send();
                            match visit {
                                Ok(answer) => assert_eq!(answer.status, 301, "{}", answer.text),
                                Err(_) if number == victim => return,
                                Err(error) => panic!("node {number} lives: {error}"),
                            }
                            followed.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
            sleep(Duration::from_millis(50 + random.below(300)));
            kill(nodes[victim].process_id());
            sleep(Duration::from_millis(random.below(100)));
            stop.store(true, Ordering::Relaxed);
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap())
                .collect()
        });
        nodes[victim] = start(1, database.url()).pop().unwrap();
        for (number, work) in works.into_iter().enumerate() {
            assert!(!work.was_cut || number == victim, "node {number} lives");
            writes += work.version - versions[number] + u64::try_from(work.made.len()).unwrap();
            cut += u64::from(work.was_cut);
            let mut version = work.version;
            if work.was_cut && location(&nodes[victim], &links[number]) == destination(version + 1)
            {
                // It committed the edit, and died before it answered.
                version += 1;
            }
            versions[number] = version;
            all_lead_to(&nodes, &links[number], &destination(version));
            for slug in &work.made {
                all_lead_to(&nodes, slug, &destination(0));
            }
        }
        all_hear(&nodes);
    }
    println!(
        "{rounds} nodes killed: {writes} writes acknowledged, 0 lost, {cut} without an answer; \
         {} redirects followed",
        followed.into_inner()
    );
    assert!(writes > 0);
}
