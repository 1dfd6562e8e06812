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
