//! The exact requests of Sink's clients, and the members that they read.

use serde_json::{Value, json};

use crate::support::server::Server;

fn made(slug: &str) -> Value {
    json!({"url": format!("https://example.com/{slug}"), "slug": slug})
}

/// The browser extension "Sink Tool". It reads JSON at every status: any `statusMessage` means
/// failure, and a `statusCode` of 409 that the slug is taken.
#[test]
fn the_browser_extension_finds_what_it_reads() {
    let server = Server::start();
    let list = server.get("/api/link/list?limit=1000&cursor").json();
    assert_eq!(list, json!({"links": [], "list_complete": true}));

    let created = server.post("/api/link/create", &made("ext")).is(201);
    assert!(created.json().get("statusMessage").is_none());
    let again = server.post("/api/link/create", &made("ext")).json();
    assert_eq!(again["statusCode"], 409);
    assert!(again["statusMessage"].is_string());

    let edit = json!({"url": "https://example.org/", "slug": "ext"});
    let edited = server.call("PUT", "/api/link/edit", &edit);
    assert_eq!(
        (edited.status, &edited.json()["link"]["url"]),
        (201, &edit["url"])
    );

    let list = server.get("/api/link/list?limit=1000&cursor").json();
    for member in ["id", "url", "slug", "createdAt", "updatedAt"] {
        assert!(!list["links"][0][member].is_null(), "{member}: {list}");
    }
    // The extension does not encode the destination, so the part after an `&` is another
    // parameter.
    let hint = server.api(
        "GET",
        "/api/link/ai?url=https://docs.example/Getting_Started?a=1&b=2",
    );
    assert_eq!(hint.send().json(), json!({"slug": "getting-started"}));

    let stranger = server
        .request("GET", "/api/link/list?limit=1000&cursor")
        .send();
    assert!(stranger.json()["statusMessage"].is_string());
}

/// The Raycast extension. It declares every body as JSON, even for a GET, does not encode
/// cursors, and stops when `cursor` is missing or `list_complete` is true.
#[test]
fn raycast_reads_every_page_and_manages_a_link() {
    let server = Server::start();
    for i in 0..45 {
        server.create(&made(&format!("link-{i}")));
    }
    let page = |path: &str| {
        let call = server
            .api("GET", path)
            .header("content-type", "application/json");
        call.send().json()
    };
    let mut seen = Vec::new();
    let mut answer = page("/api/link/list");
    loop {
        seen.extend(answer["links"].as_array().unwrap().clone());
        let cursor = answer["cursor"].as_str().map(str::to_owned);
        let (Some(cursor), Value::Bool(false)) = (cursor, &answer["list_complete"]) else {
            break;
        };
        answer = page(&format!("/api/link/list?cursor={cursor}&limit=500"));
    }
    assert_eq!(seen.len(), 45);

    let created = server.api("POST", "/api/link/create");
    let created = created
        .json(&json!({"url": "https://example.com/", "comment": "new"}))
        .send();
    let link = created.json()["link"].clone();
    let slug = link["slug"].as_str().unwrap();
    let queried = page(&format!("/api/link/query?slug={slug}"));
    assert_eq!(queried, link);

    let change = json!({"slug": slug, "url": "https://example.org/", "comment": "changed"});
    let edited = server.call("PUT", "/api/link/edit", &change);
    assert_eq!(
        (edited.status, &edited.json()["link"]["comment"]),
        (201, &change["comment"])
    );

    server.visit(&format!("/{slug}"));
    let id = link["id"].as_str().unwrap();
    let counters = server.counters_with(&format!("id={id}"), 1);
    for member in ["visits", "visitors", "referers"] {
        assert!(
            !counters["data"][0][member].is_null(),
            "{member}: {counters}"
        );
    }

    let deleted = server.post("/api/link/delete", &json!({"slug": slug}));
    assert_eq!((deleted.status, &*deleted.text), (204, ""));
    let gone = server.get(&format!("/api/link/query?slug={slug}")).is(404);
    assert_eq!(gone.json()["statusCode"], 404);
}

/// The Ruby gem: flat object from query, arrays from search and tags, 204 from
/// delete, and errors whose `message` it shows.
#[test]
fn the_ruby_gem_gets_the_documented_shapes() {
    let server = Server::start();
    let identity = server.get("/api/verify").json();
    assert_eq!(identity["authMethod"], "site-token");
    let upserted = server.post("/api/link/upsert", &made("gem")).is(201);
    assert_eq!(upserted.json()["status"], "created");
    let again = server.post("/api/link/upsert", &made("gem")).is(200);
    assert_eq!(again.json()["status"], "existing");
    assert_eq!(
        again.json()["shortLink"],
        format!("{}/gem", server.origin())
    );

    assert!(server.get("/api/link/search?q=gem").json().is_array());
    assert!(server.get("/api/link/tags").json().is_array());
    let refused = server.post("/api/link/create", &made("gem")).json();
    assert_eq!(refused["statusMessage"], "Link already exists");
    let message = refused["message"].as_str().unwrap();
    assert!(message.starts_with("Link already exists: "), "{message}");
}
