//! Requests in numbers that no honest client sends. Visitors do not notice them, the service
//! still counts, and its memory stays bounded.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use serde_json::json;

use crate::{
    faults::amount::factor,
    support::server::{Answer, Server, pause},
};

const CLIENTS: u64 = 4;
const MIB: u64 = 1 << 20;

/// Each client is far away, so that limits for one client do not end the flood.
fn start() -> Server {
    let server = Server::start_with(&[
        ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1"),
        ("SLUGLINE_SAMPLE_LINK_ABOVE", "0"),
        ("SLUGLINE_SAMPLE_ABOVE", "0"),
    ]);
    server.create(&json!({"slug": "docs", "url": "https://example.com/"}));
    server.create(&json!({"slug": "known", "url": "https://example.com/"}));
    server
}

/// The number of requests of a flood.
fn amount() -> u64 {
    1_000 * factor()
}

/// An address that no other request of the flood has.
fn client(number: u64) -> String {
    let (network, subnet) = (number & 0xffff, number >> 16 & 0xffff);
    format!("2001:db8:{network:x}:{subnet:x}::1")
}

/// Sends the requests of a flood, each with its number, and follows a link meanwhile. Returns
/// the number of redirects.
#[expect(clippy::print_stdout, reason = "the figures are what people look for")]
fn flood(server: &Server, request: impl Fn(u64) + Sync) -> u64 {
    // The first requests fill pools and tables that stay.
    (0..100).for_each(&request);
    let before = server.resident_bytes();
    let is_over = AtomicBool::new(false);
    let followed = thread::scope(|scope| {
        let visitor = scope.spawn(|| {
            let mut followed = 0;
            while !is_over.load(Ordering::Relaxed) {
                assert_eq!(server.visit("/known").status, 301);
                followed += 1;
                pause();
            }
            followed
        });
        let clients: Vec<_> = (0..CLIENTS)
            .map(|first| {
                let request = &request;
                scope.spawn(move || {
                    (100 + first..amount())
                        .step_by(usize::try_from(CLIENTS).unwrap())
                        .for_each(request);
                })
            })
            .collect();
        let ended = clients.into_iter().map(thread::ScopedJoinHandle::join);
        let ended: Vec<_> = ended.collect();
        is_over.store(true, Ordering::Relaxed);
        for client in ended {
            client.unwrap();
        }
        visitor.join().unwrap()
    });
    let after = server.resident_bytes();
    let memory = format!("{} MiB before, {} MiB after", before / MIB, after / MIB);
    assert!(after < before + 100 * MIB, "{memory}");
    println!(
        "{} requests, {followed} redirects meanwhile; {memory}",
        amount()
    );
    followed
}

#[test]
fn a_flood_of_random_slugs_keeps_no_visitor_waiting() {
    let server = start();
    flood(&server, |number| {
        assert_eq!(server.visit(&format!("/random-{number}")).status, 404);
    });
}

#[test]
fn each_visit_of_a_flood_of_user_agents_counts() {
    let server = start();
    let followed = flood(&server, |number| {
        let agent = format!("Agent/{number} ({})", "x".repeat(200));
        let visit = server.request("GET", "/docs").header("user-agent", &agent);
        let visit = visit.header("x-forwarded-for", &client(number));
        assert_eq!(visit.send().status, 301);
    });
    server.counters_with("slug=docs", amount());
    server.counters_with("slug=known", followed);
}

#[test]
fn the_right_token_passes_in_a_flood_of_wrong_ones() {
    let server = start();
    let list = |token: &str, client: &str| -> Answer {
        let call = server.request("GET", "/api/link/list?limit=1");
        let call = call.header("authorization", &format!("Bearer {token}"));
        call.header("x-forwarded-for", client).send()
    };
    flood(&server, |number| {
        let wrong = list(&format!("wrong-guess-{number}"), &client(number));
        assert!([401, 429].contains(&wrong.status), "{}", wrong.text);
        if number % 100 == 0 {
            list(crate::support::server::TOKEN, &client(number)).is(200);
        }
    });
}
