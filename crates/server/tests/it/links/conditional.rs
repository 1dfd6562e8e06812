//! Many concurrent changes, each for a given version.

use std::thread;

use rstest::rstest;
use serde_json::json;

use crate::support::server::{Answer, Server};

#[rstest]
fn of_changes_meant_for_one_version_exactly_one_is_made(
    #[values("sqlite", "postgres")] database: &str,
) {
    let server = Server::start_on(database);
    let slug = format!("meant-{database}-{}", std::process::id());
    let query = format!("/api/link/query?slug={slug}");
    for round in 0..12 {
        let made = server
            .post(
                "/api/link/create",
                &json!({"url": "https://example.com/", "slug": slug}),
            )
            .is(201);
        let tag = made.header("etag").to_owned();
        let change = |number: usize| {
            let url = format!("https://example.com/{round}/{number}");
            let (method, path, body) = match number {
                0 => ("POST", "/api/link/delete", json!({"slug": slug})),
                1 | 2 => ("PUT", "/api/link/edit", json!({"slug": slug, "url": url})),
                _ => ("PATCH", "/api/link/edit", json!({"slug": slug, "url": url})),
            };
            let call = server.api(method, path).header("if-match", &tag);
            call.json(&body).send()
        };
        let first = round % 2;
        let answers: Vec<Answer> = thread::scope(|scope| {
            let changes: Vec<_> = (first..8)
                .map(|number| scope.spawn(move || change(number)))
                .collect();
            changes
                .into_iter()
                .map(|change| change.join().unwrap())
                .collect()
        });
        let (made, refused): (Vec<&Answer>, Vec<&Answer>) =
            answers.iter().partition(|answer| answer.status < 300);
        assert_eq!(made.len(), 1, "round {round}");
        let now = server.get(&query);
        let deleted = made[0].status == 204;
        assert_eq!(now.status, if deleted { 404 } else { 200 });
        for answer in refused {
            let problem = answer.json();
            // A client that edits a deleted link gets 404 before any other error.
            if deleted && answer.status == 404 {
                continue;
            }
            assert_eq!(answer.status, 412, "{problem}");
            if !deleted {
                assert_eq!(problem["data"]["link"], now.json());
                assert_eq!(answer.header("etag"), now.header("etag"));
                assert_ne!(now.header("etag"), tag);
            }
        }
        if !deleted {
            assert_eq!(now.json(), made[0].json()["link"]);
            server.delete_link(&slug);
        }
    }
}
