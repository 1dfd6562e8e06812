//! Several nodes on one PostgreSQL.

use serde_json::json;

use crate::support::{own_database::postgres_url, server::Server};

#[test]
fn nodes_that_start_together_share_their_links() {
    let url = postgres_url();
    let settings = [("SLUGLINE_DATABASE_URL", url.as_str())];
    let nodes: Vec<Server> = std::thread::scope(|scope| {
        let starting: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| Server::start_with(&settings)))
            .collect();
        starting
            .into_iter()
            .map(|node| node.join().unwrap())
            .collect()
    });
    let slug = format!("shared-{}", std::process::id());
    let link = json!({"url": "https://example.com/", "slug": slug, "tags": ["b", "a"]});
    nodes[0].create(&link);
    let taken = nodes[1].api("POST", "/api/link/create").json(&link).send();
    assert_eq!(taken.status, 409);
    for node in &nodes {
        for _ in 0..10 {
            assert_eq!(
                node.visit(&format!("/{slug}")).header("location"),
                "https://example.com/"
            );
        }
        let read = node
            .api("GET", &format!("/api/link/query?slug={slug}"))
            .send()
            .json();
        assert_eq!(read["tags"], json!(["a", "b"]));
        assert_eq!(node.visit("/_health/ready").status, 200);
    }
    let deleted = nodes[2]
        .api("POST", "/api/link/delete")
        .json(&json!({"slug": slug}))
        .send();
    assert_eq!(deleted.status, 204);
    assert_eq!(nodes[2].visit(&format!("/{slug}")).status, 404);
    let gone = nodes[0]
        .api("GET", &format!("/api/link/query?slug={slug}"))
        .send();
    assert_eq!(gone.status, 404);
}
