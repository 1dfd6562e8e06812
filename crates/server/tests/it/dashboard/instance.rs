use serde_json::{Value, json};

use crate::support::server::{Server, command};

/// A server with default settings that has these links.
pub(super) fn with_links(slugs: &[&str]) -> Server {
    let server = Server::start();
    add_links(&server, slugs);
    server
}

pub(super) fn add_links(server: &Server, slugs: &[&str]) {
    for slug in slugs {
        server.create(&json!({"url": "https://example.com/", "slug": slug}));
    }
}

/// Adds many links at once.
pub(super) fn import(server: &Server, links: impl Iterator<Item = Value>) {
    let links: Vec<_> = links.collect();
    let import = json!({"version": "1.0", "links": links});
    server.post("/api/link/import", &import).is(200);
}

/// An instance with visits of some weeks.
pub(crate) fn seeded(links: u32, visits: u32, days: u32) -> Server {
    seeded_with("", links, visits, days)
}

/// The same with links of these domains, too.
pub(super) fn seeded_with(domains: &str, links: u32, visits: u32, days: u32) -> Server {
    let folder = tempfile::tempdir().unwrap();
    let amounts = [("--links", links), ("--visits", visits), ("--days", days)];
    let mut seed = command(folder.path());
    seed.env("SLUGLINE_DOMAINS", domains).arg("seed");
    for (name, amount) in amounts {
        seed.args([name, &amount.to_string()]);
    }
    let made = seed.output().unwrap();
    assert!(made.status.success(), "{made:?}");
    Server::start_in(folder, &[])
}
