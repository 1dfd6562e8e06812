use super::instance::{seeded, seeded_with};
use crate::support::server::{Server, command};

fn count(server: &Server, domain: &str) -> u64 {
    let path = format!("/api/link/count?status=all&domain={domain}");
    server.get(&path).json()["count"].as_u64().unwrap()
}

#[test]
fn the_same_numbers_make_the_same_instance() {
    let (one, two) = (seeded(20, 1_500, 30), seeded(20, 1_500, 30));
    for server in [&one, &two] {
        assert_eq!(count(server, ""), 20);
        server.counters_with("", 1_500);
    }
    for kind in ["slug", "country", "referer", "browser"] {
        let path = format!("/api/stats/metrics?type={kind}");
        let rows = one.get(&path).json()["data"].clone();
        assert!(rows.as_array().unwrap().len() > 5, "{kind}: {rows}");
        assert_eq!(rows, two.get(&path).json()["data"], "{kind}");
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
    let server = seeded_with("a.example,b.example", 12, 100, 5);
    for (domain, links) in [("", 8), ("a.example", 2), ("b.example", 2), ("*", 12)] {
        assert_eq!(count(&server, domain), links, "{domain}");
    }
}
