//! The same request with the same key on several nodes at the same time.

use serde_json::json;

use super::{at_once, cluster};
use crate::support::server::Server;

#[test]
fn of_nodes_that_get_the_same_request_one_makes_the_link_and_all_answer_alike() {
    const ROUNDS: usize = 20;

    let (_database, nodes) = cluster("repetitions", 2);
    for round in 0..ROUNDS {
        let key = format!("key-{round}");
        let url = format!("https://once.example/{round}");
        let link = json!({"url": url, "password": "letmein"});
        let import = json!({"version": "1", "links": [{"url": url, "slug": null}]});
        let (path, body, status) = match round % 2 {
            0 => ("/api/link/create", &link, 201),
            _ => ("/api/link/import", &import, 200),
        };
        let six = nodes.iter().cycle().take(6).collect();
        let answers = at_once(six, |node: &Server| {
            let call = node.api("POST", path).header("idempotency-key", &key);
            let answer = call.json(body).send();
            (answer.status, answer.json())
        });
        assert_eq!(answers[0].0, status, "{answers:?}");
        let alike = answers.iter().all(|answer| *answer == answers[0]);
        assert!(alike, "{answers:?}");
        let search = format!("/api/link/search?url={url}");
        let found = nodes[1].api("GET", &search).send().json();
        assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    }
}
