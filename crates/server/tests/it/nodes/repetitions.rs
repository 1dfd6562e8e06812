//! The same request with the same key on several nodes at the same time.

use serde_json::{Value, json};

use super::start;
use crate::support::own_database::OwnDatabase;

#[test]
fn of_nodes_that_get_the_same_request_one_makes_the_link_and_all_answer_alike() {
    const ROUNDS: usize = 20;

    let database = OwnDatabase::create("repetitions");
    let nodes = start(2, database.url());
    for round in 0..ROUNDS {
        let (key, url) = (
            format!("key-{round}"),
            format!("https://once.example/{round}"),
        );
        let link = json!({"url": url, "password": "letmein"});
        let import = json!({"version": "1", "links": [{"url": url, "slug": null}]});
        let (path, body, status) = match round % 2 {
            0 => ("/api/link/create", &link, 201),
            _ => ("/api/link/import", &import, 200),
        };
        let answers: Vec<(u16, Value)> = std::thread::scope(|scope| {
            let racing: Vec<_> = nodes
                .iter()
                .cycle()
                .take(6)
                .map(|node| {
                    scope.spawn(|| {
                        let call = node.api("POST", path).header("idempotency-key", &key);
                        let answer = call.json(body).send();
                        (answer.status, answer.json())
                    })
                })
                .collect();
            let answers = racing.into_iter().map(|race| race.join().unwrap());
            answers.collect()
        });
        assert_eq!(answers[0].0, status, "{answers:?}");
        assert!(
            answers.iter().all(|answer| *answer == answers[0]),
            "{answers:?}"
        );
        let search = format!("/api/link/search?url={url}");
        let found = nodes[1].api("GET", &search).send().json();
        assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    }
}
