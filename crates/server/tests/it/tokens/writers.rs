//! A token that may only write links reads nothing that it did not write.

use serde_json::{Value, json};

use super::{make, scopes::exchange};
use crate::support::server::Server;

/// A server with a link whose content only its author and readers may see.
fn server_with_secret() -> (Server, String) {
    let server = Server::start();
    server.create(&json!({
        "slug": "sec", "url": "https://secret.example/private", "comment": "between us",
        "tags": ["private"], "password": "letmein", "expiration": 4_102_444_799_i64,
        "expiredUrl": "https://secret.example/over",
    }));
    let writer = make(&server, "writer", &["links:write"]);
    (server, writer)
}

fn hides(text: &str) -> bool {
    let secrets = [
        "secret.example",
        "between us",
        "private",
        "MASKED",
        "4102444799",
    ];
    !secrets.iter().any(|secret| text.contains(secret))
}

#[test]
fn answers_to_a_writer_show_the_slug_of_a_link_alone() {
    let (server, writer) = server_with_secret();
    let call = |method: &str, path: &str, body: Value| {
        let answer = server
            .by(&writer, method, path)
            .header("if-none-match", "x")
            .json(&body)
            .send();
        assert!(hides(&answer.text), "{}", answer.text);
        answer
    };
    let short = format!("{}/sec", server.origin());
    let upserted = call(
        "POST",
        "/api/link/upsert",
        json!({"url": "https://zz.example", "slug": "sec"}),
    );
    assert_eq!(
        upserted.json(),
        json!({"link": {"slug": "sec"}, "shortLink": short, "status": "existing"})
    );
    assert_eq!(upserted.header("etag"), "");
    for change in [json!({"slug": "sec"}), json!({"slug": "sec", "title": "T"})] {
        let patched = call("PATCH", "/api/link/edit", change);
        assert_eq!(
            patched.json(),
            json!({"link": {"slug": "sec"}, "shortLink": short})
        );
        assert_eq!(patched.header("etag"), "");
    }
    for (only_checked, status) in [(true, 200), (false, 201)] {
        let whole =
            json!({"slug": "sec", "url": "https://zz.example", "validateOnly": only_checked});
        let replaced = call("PUT", "/api/link/edit", whole).is(status);
        assert_eq!(replaced.json()["link"], json!({"slug": "sec"}));
        assert_eq!(replaced.header("etag"), "");
    }
    let refused = server
        .by(&writer, "PATCH", "/api/link/edit")
        .header("if-match", "\"no\"")
        .json(&json!({"slug": "sec", "title": "T"}))
        .send()
        .is(412);
    assert_eq!(refused.json()["data"]["link"], json!({"slug": "sec"}));
    assert!(hides(&refused.text) && refused.header("etag").is_empty());
    let reader = make(&server, "both", &["links:write", "links:read"]);
    let shown = server
        .by(&reader, "PATCH", "/api/link/edit")
        .json(&json!({"slug": "sec"}))
        .send();
    assert_eq!(shown.json()["link"]["url"], "https://zz.example");
    assert!(!shown.header("etag").is_empty());
}

#[test]
fn a_refusal_shows_a_writer_nothing_of_what_the_link_has() {
    let (server, writer) = server_with_secret();
    let below = format!("{}/circle/private", server.origin());
    server.create(&json!({"slug": "circle", "url": below}));
    for (change, path) in [
        (
            json!({"slug": "circle", "forwardPath": true}),
            "forwardPath",
        ),
        (
            json!({"slug": "sec", "startsAt": 4_102_444_799_i64 + 5}),
            "startsAt",
        ),
    ] {
        let mut change = change;
        change["validateOnly"] = true.into();
        let call = server.by(&writer, "PATCH", "/api/link/edit");
        let refused = call.json(&change).send().is(400);
        assert_eq!(refused.fault(), path);
        assert!(hides(&refused.text), "{}", refused.text);
    }
}

#[test]
fn tools_show_a_writer_the_slug_of_a_link_alone() {
    let (server, writer) = server_with_secret();
    let whole = json!({"slug": "sec", "url": "https://zz.example"});
    let partial = json!({"slug": "sec", "partial": true, "title": "T"});
    for (tool, arguments) in [
        ("upsert_link", whole.clone()),
        ("update_link", partial),
        ("update_link", whole),
        ("delete_link", json!({"slug": "sec"})),
    ] {
        let call = json!({"name": tool, "arguments": arguments});
        let result = exchange(&server, &writer, "tools/call", call);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        let told = &result["structuredContent"];
        assert_eq!(told["link"], json!({"slug": "sec"}), "{tool}");
        assert!(told["removed"].is_null(), "{told}");
        let undo = &told["undo"];
        assert_eq!(undo.is_string(), tool != "upsert_link", "{tool}: {undo}");
        assert!(hides(&result.to_string()), "{tool}: {result}");
    }
}

#[test]
fn a_batch_that_tells_about_links_needs_both_scopes() {
    let (server, writer) = server_with_secret();
    let both = make(&server, "both", &["links:write", "links:read"]);
    let batch = |token: &str, body: &Value| {
        let answer = server.by(token, "POST", "/api/link/batch").json(body);
        answer.send()
    };
    let by_filter = json!({"action": "delete", "filter": {"q": "priv", "status": "all"}});
    let trial = json!({"action": "delete", "slugs": ["sec"], "dryRun": true});
    let mut trial_by_filter = by_filter.clone();
    trial_by_filter["dryRun"] = true.into();
    for body in [&by_filter, &trial, &trial_by_filter] {
        let refused = batch(&writer, body).is(403);
        assert_eq!(refused.json()["data"]["scope"], "links:read");
    }
    for body in [&trial, &trial_by_filter] {
        batch(&both, body).is(200);
    }
    let named = json!({"action": "addTags", "tags": ["t"], "slugs": ["sec", "nobody"]});
    assert_eq!(batch(&writer, &named).status, 200);
    assert_eq!(server.visit("/sec").status, 200, "the link is still there");
}
