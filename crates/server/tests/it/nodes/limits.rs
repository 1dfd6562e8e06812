//! A link with so many visits, and far more visitors on several nodes, some of which are killed, as
//! is the database.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread::{self, sleep},
    time::Duration,
};

use serde_json::json;

use super::{all_hear, cluster, start};
use crate::{
    faults::{
        actor::End,
        amount::{Random, factor},
        deaths::kill,
    },
    support::{
        own_postgres::OwnPostgres,
        server::{Answer, Server, eventually},
    },
};

const NODES: usize = 3;
const VISITS: u64 = 100;
/// Of each link, at least.
const VISITORS: u64 = 1_000;
/// Those that are on their way at the same time, on each node.
const AT_ONCE: usize = 32;
const SECRET: &str = "https://secret.example/";

#[derive(Debug, Default)]
struct Seen {
    /// Answers with the destination.
    destinations: AtomicU64,
    used_up: AtomicU64,
    unavailable: AtomicU64,
    /// Visitors whose node died.
    cut: AtomicU64,
}

impl Seen {
    fn count(&self, answer: Result<Answer, ureq::Error>) {
        let Ok(answer) = answer else {
            self.cut.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let counter = match (answer.status, answer.header("location")) {
            (302, SECRET) => &self.destinations,
            (410, "") => &self.used_up,
            (503, "") => {
                assert_ne!(answer.header("retry-after"), "", "{}", answer.text);
                &self.unavailable
            }
            other => panic!("{other:?}: {}", answer.text),
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    fn destinations(&self) -> u64 {
        self.destinations.load(Ordering::Relaxed)
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Nothing,
    NodeDies,
    DatabaseDies,
}

fn used(node: &Server, slug: &str) -> u64 {
    let mut left = None;
    eventually("the node reads links", || {
        let query = node.api("GET", &format!("/api/link/query?slug={slug}"));
        left = query.send().json()["visitsLeft"].as_u64();
        left.is_some()
    });
    VISITS - left.unwrap()
}

/// Sends visitors to all nodes while something happens once some visits were used.
fn storm(nodes: &[Server], slug: &str, seen: &Seen, event: impl FnOnce()) {
    let sent = AtomicU64::new(0);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for node in nodes {
            for _ in 0..AT_ONCE {
                let (sent, is_over) = (&sent, &is_over);
                scope.spawn(move || {
                    while sent.fetch_add(1, Ordering::Relaxed) < VISITORS
                        || !is_over.load(Ordering::Relaxed)
                    {
                        let answer = node.request("GET", &format!("/{slug}")).try_send();
                        if !matches!(&answer, Ok(answer) if answer.status == 302) {
                            // A node that is away turns its visitors away at once.
                            sleep(Duration::from_millis(20));
                        }
                        seen.count(answer);
                        assert!(seen.destinations() <= VISITS, "{seen:?}");
                    }
                });
            }
        }
        let _end = End(&is_over);
        event();
    });
}

#[test]
fn no_more_destinations_leave_than_the_author_allowed() {
    let mut random = Random::new();
    let database = OwnPostgres::start();
    let mut nodes = start(NODES, &database.url());
    all_hear(&nodes);
    let usual = [
        Event::Nothing,
        Event::NodeDies,
        Event::DatabaseDies,
        Event::NodeDies,
        Event::DatabaseDies,
    ];
    let rounds = usual.len() * usize::try_from(factor()).unwrap();
    for round in 0..rounds {
        let event = usual[round % usual.len()];
        let slug = format!("limited-{round}");
        nodes[round % NODES].create(&json!({"slug": slug, "url": SECRET, "maxVisits": VISITS}));
        let victim = usize::try_from(random.below(3)).unwrap();
        let early = random.below(VISITS - 20);
        let seen = Seen::default();
        storm(&nodes, &slug, &seen, || {
            eventually("some visits are used", || seen.destinations() >= early);
            match event {
                Event::Nothing => {}
                Event::NodeDies => kill(nodes[victim].process_id()),
                Event::DatabaseDies => database.restart("immediate"),
            }
        });
        if matches!(event, Event::NodeDies) {
            nodes[victim] = start(1, &database.url()).pop().unwrap();
        }
        all_hear(&nodes);
        let gone = used(&nodes[0], &slug);
        let lost = gone - seen.destinations();
        println!("{event:?} after {early}: {seen:?}, {lost} visits lost");
        // Those who come later use what is left, wherever they come.
        let mut visits = 0;
        eventually("the link is used up", || {
            visits += 1;
            let answer = nodes[visits % NODES].visit(&format!("/{slug}"));
            let is_over = answer.status == 410;
            seen.count(Ok(answer));
            is_over
        });
        assert_eq!(used(&nodes[1], &slug), VISITS);
        assert_eq!(seen.destinations() + lost, VISITS, "{seen:?}");
        match event {
            Event::Nothing => assert_eq!(lost, 0),
            // Each visitor on the way may have lost one.
            Event::NodeDies | Event::DatabaseDies => {
                assert!(lost <= u64::try_from(NODES * AT_ONCE).unwrap());
            }
        }
    }
}

#[test]
fn a_link_that_changes_all_the_time_still_leads_its_visitors() {
    const VISITORS: usize = 8;
    let (_database, nodes) = cluster("busy_limit", 2);
    let link = json!({"slug": "busy", "url": SECRET, "maxVisits": 1_000_000});
    nodes[0].create(&link);
    let is_over = AtomicBool::new(false);
    let told = AtomicU64::new(0);
    thread::scope(|scope| {
        let editors = nodes.iter().map(|node| {
            let is_over = &is_over;
            scope.spawn(move || {
                let mut edits = 0;
                while !is_over.load(Ordering::Relaxed) {
                    edits += 1;
                    let edit = json!({"slug": "busy", "comment": format!("edit {edits}")});
                    node.api("PATCH", "/api/link/edit").json(&edit).send();
                }
                edits
            })
        });
        let editors: Vec<_> = editors.collect();
        let visitors = (0..VISITORS).map(|visitor| {
            let (node, told) = (&nodes[visitor % 2], &told);
            scope.spawn(move || {
                for _ in 0..100 {
                    let answer = node.visit("/busy");
                    assert_eq!(answer.header("location"), SECRET, "{}", answer.text);
                    told.fetch_add(1, Ordering::Relaxed);
                }
            })
        });
        let visitors: Vec<_> = visitors.collect();
        let outcomes: Vec<_> = visitors
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect();
        is_over.store(true, Ordering::Relaxed);
        let edits: usize = editors.into_iter().map(|it| it.join().unwrap()).sum();
        println!("{told:?} visitors told beside {edits} edits");
        assert!(outcomes.iter().all(Result::is_ok));
    });
    let left = nodes[0].link("busy")["visitsLeft"].as_u64().unwrap();
    assert_eq!(1_000_000 - left, told.into_inner());
}
