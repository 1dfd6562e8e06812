use serde_json::Value;

use super::analytics::seeded;
use crate::support::server::{Server, command};

fn metrics(server: &Server, kind: &str) -> Value {
    let path = format!("/api/stats/metrics?type={kind}");
    server.api("GET", &path).send().json()["data"].clone()
}

#[test]
fn the_same_numbers_make_the_same_instance() {
    let (one, two) = (seeded(20, 1_500, 30), seeded(20, 1_500, 30));
    for server in [&one, &two] {
        assert_eq!(
            server
                .api("GET", "/api/link/count?status=all")
                .send()
                .json()["count"],
            20
        );
        server.counters_with("", 1_500);
    }
    for kind in ["slug", "country", "referer", "browser"] {
        let rows = metrics(&one, kind);
        assert!(rows.as_array().unwrap().len() > 5, "{kind}: {rows}");
        assert_eq!(rows, metrics(&two, kind), "{kind}");
    }
}

#[test]
fn an_instance_that_has_links_is_left_alone() {
    let server = seeded(2, 10, 5);
    let (_, folder) = server.stop("TERM");
    let again = command(folder.path()).arg("seed").output().unwrap();
    assert!(!again.status.success());
    let said = String::from_utf8_lossy(&again.stderr);
    assert!(
        said.contains("2 links") && said.contains("--data-dir"),
        "{said}"
    );
}

#[test]
fn named_domains_get_a_third_of_the_links() {
    let folder = tempfile::tempdir().unwrap();
    let seed = ["seed", "--links", "12", "--visits", "100", "--days", "5"];
    let made = command(folder.path())
        .env("SLUGLINE_DOMAINS", "a.example,b.example")
        .args(seed)
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let server = Server::start_in(folder, &[]);
    for (domain, links) in [("", 8), ("a.example", 2), ("b.example", 2), ("*", 12)] {
        let path = format!("/api/link/count?status=all&domain={domain}");
        let count = server.api("GET", &path).send().json()["count"].clone();
        assert_eq!(count, links, "{domain}");
    }
}
