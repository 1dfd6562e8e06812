//! Several nodes on one PostgreSQL agree on every link, even when connections fail.
//!
//! Nodes cache links for an hour here, so a change becomes visible by its announcement, not by
//! expiry of the cache.

mod agreement; // changes of each kind show on every node
mod background; // nodes are killed while they empty the trash, or watch
mod deafness; // nodes that hear nothing say so, and read again
mod deaths; // nodes are killed under load
mod domains; // every node knows every domain
mod limits; // a link with so many visits, under kills
mod outages; // the server restarts, or stops in its tracks
mod races; // who comes first wins, on every node
mod revoking; // a revoked token is refused everywhere
mod schema; // nodes and the schema of another version
mod watching; // destinations are asked by one node

use serde_json::{Value, json};
use url::Url;

use crate::support::{
    own_database::OwnDatabase,
    server::{Answer, Server, eventually},
};

/// Some nodes on the same database, started together.
fn start(count: usize, database: &Url) -> Vec<Server> {
    let settings = [
        ("SLUGLINE_DATABASE_URL", database.as_str()),
        ("SLUGLINE_LINK_CACHE_TTL", "3600"),
    ];
    at_once(vec![(); count], |()| Server::start_with(&settings))
}

/// Nodes that hear of each other's changes, on a database of their own.
fn cluster(name: &str, count: usize) -> (OwnDatabase, Vec<Server>) {
    let database = OwnDatabase::create(name);
    let nodes = start(count, database.url());
    all_hear(&nodes);
    (database, nodes)
}

/// The part of `/_health/ready` about the listener.
fn listener(node: &Server) -> Value {
    let ready = node.visit("/_health/ready").is(200);
    ready.json()["parts"]["listener"].clone()
}

fn hears(node: &Server) -> bool {
    listener(node) == json!({"status": "ok", "reasons": []})
}

fn all_hear(nodes: &[Server]) {
    eventually("every node hears of changes", || nodes.iter().all(hears));
}

fn location(node: &Server, slug: &str) -> String {
    node.visit(&format!("/{slug}"))
        .header("location")
        .to_owned()
}

/// Waits until every node redirects a slug to this destination.
fn all_lead_to(nodes: &[Server], slug: &str, destination: &str) {
    for (number, node) in nodes.iter().enumerate() {
        eventually(&format!("node {number}: {slug} → {destination}"), || {
            location(node, slug) == destination
        });
    }
}

fn all_answer(nodes: &[Server], slug: &str, status: u16) {
    for (number, node) in nodes.iter().enumerate() {
        eventually(&format!("node {number}: {slug} is a {status}"), || {
            node.visit(&format!("/{slug}")).status == status
        });
    }
}

/// Waits until every node has received all announcements so far: they arrive in order. A node
/// does not cache a read that an announcement overtakes.
fn all_have_heard(nodes: &[Server], unused_slug: &str) {
    all_answer(nodes, unused_slug, 404);
    nodes[nodes.len() - 1].create(&json!({"slug": unused_slug, "url": "https://example.com/"}));
    all_lead_to(nodes, unused_slug, "https://example.com/");
}

/// Has a node give the link another destination.
fn edit(node: &Server, slug: &str, destination: &str) {
    let link = json!({"slug": slug, "url": destination});
    node.call("PUT", "/api/link/edit", &link).is(201);
}

/// Creates a link with a generated slug.
fn create(node: &Server) -> Answer {
    let link = json!({"url": "https://example.com/"});
    node.post("/api/link/create", &link)
}

/// Calls `act` for all of these at the same time, and returns the results.
fn at_once<T: Send, R: Send>(all: Vec<T>, act: impl Fn(T) -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let act = &act;
        let running: Vec<_> = all
            .into_iter()
            .map(|one| scope.spawn(move || act(one)))
            .collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    })
}
