//! Visits that are counted, on a disk that fails and in a service that is killed.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use serde_json::json;

use super::{
    amount::{Random, factor},
    deaths::kill,
    operation::{Reply, refusal},
    shim::{Fault, Kind},
    trial::Trial,
};
use crate::support::server::Answer;

const SECRET: &str = "https://secret.example/";

fn make(trial: &Trial, visits: u64) -> String {
    let slug = trial.fresh_slug();
    let link = json!({"slug": slug, "url": SECRET, "maxVisits": visits});
    trial.server().create(&link);
    slug
}

fn left(trial: &Trial, slug: &str) -> u64 {
    let query = format!("/api/link/query?slug={slug}");
    let answer = trial.server().get(&query);
    answer.json()["visitsLeft"].as_u64().unwrap()
}

/// Returns whether the answer gives the destination away. Every other answer is a proper one.
fn tells(answer: &Answer) -> bool {
    match (answer.status, answer.header("location")) {
        (302, SECRET) => return true,
        (410, "") => {}
        (503, "") => assert_eq!(refusal(answer), Reply::Refused),
        other => panic!("{other:?}: {}", answer.text),
    }
    false
}

#[test]
fn a_visit_that_cannot_be_counted_is_not_answered_with_the_destination() {
    const VISITS: u64 = 1_000;

    let mut random = Random::new();
    let mut trial = Trial::start();
    let slug = make(&trial, VISITS);
    let visit = |trial: &Trial| tells(&trial.server().visit(&format!("/{slug}")));
    let (mut told, mut refused, mut struck) = (0, 0, 0);
    for _ in 0..factor() {
        for kind in Kind::ALL {
            for count in [kind.once(), Fault::FOREVER] {
                for first in 1..=4 {
                    assert!(visit(&trial), "the link is in memory");
                    told += 1;
                    trial.faults.set(Fault::of(kind, first, count));
                    let went_on = visit(&trial);
                    struck += u64::from(trial.faults.lift() > 0);
                    told += u64::from(went_on);
                    refused += u64::from(!went_on);
                    let used = VISITS - left(&trial, &slug);
                    assert!(
                        used >= told,
                        "{kind:?} {first}: {used} of {told} are counted"
                    );
                }
            }
            trial.restart(if random.below(2) == 0 { "KILL" } else { "TERM" });
            let used = VISITS - left(&trial, &slug);
            assert!(used >= told, "{kind:?}: {used} of {told} are counted");
        }
    }
    let used = VISITS - left(&trial, &slug);
    println!("{struck} faults: {told} destinations, {refused} refused, {used} visits counted");
    assert!(struck > 20 && refused > 10, "{struck} {refused}");
}

#[test]
fn a_killed_service_gives_no_destination_away_twice() {
    const VISITS: u64 = 400;
    const CLIENTS: usize = 8;

    let mut random = Random::new();
    let mut trial = Trial::start();
    let slug = make(&trial, VISITS);
    let path = format!("/{slug}");
    let other = format!("/{}", make(&trial, 1_000_000));
    let told = AtomicU64::new(0);
    let mut lives = 0;
    while left(&trial, &slug) > 0 {
        lives += 1;
        let server = trial.server();
        // The first visit of a life compiles the expressions that tell bots, which takes longer than a
        // life without optimisations.
        assert!(tells(&server.visit(&other)));
        thread::scope(|scope| {
            let visit = || {
                while let Ok(answer) = server.request("GET", &path).try_send() {
                    if !tells(&answer) {
                        return;
                    }
                    told.fetch_add(1, Ordering::Relaxed);
                }
            };
            let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(visit)).collect();
            // Each life gives some destinations away, however slow the machine is.
            let enough = told.load(Ordering::Relaxed) + 1 + random.below(40);
            while told.load(Ordering::Relaxed) < enough
                && clients.iter().any(|client| !client.is_finished())
            {
                thread::sleep(Duration::from_millis(1));
            }
            kill(server.process_id());
        });
        trial.restart("KILL");
        let used = VISITS - left(&trial, &slug);
        let told = told.load(Ordering::Relaxed);
        assert!(
            told <= used && used <= VISITS,
            "{used} of {told} are counted"
        );
    }
    let told = told.into_inner();
    println!("{lives} lives: {told} destinations of {VISITS} visits");
    assert!(told <= VISITS && told > VISITS / 2);
    assert_eq!(trial.server().visit(&path).status, 410);
}
