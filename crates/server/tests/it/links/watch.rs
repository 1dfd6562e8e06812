//! Destinations are asked in turn, and broken ones are told.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use serde_json::{Value, json};

use crate::{
    mcp::wire::call_tool,
    support::{
        outsider::{Outsider, answer},
        server::{Server, eventually},
    },
};

/// The setting of an operator who shortens links to the same machine.
const LOOPBACK: (&str, &str) = ("SLUGLINE_CHECK_ALLOWED_NETWORKS", "127.0.0.0/8,::1");

/// A destination that works while the flag is set.
fn destination(works: &Arc<AtomicBool>) -> Outsider {
    let works = Arc::clone(works);
    Outsider::start(move |_| {
        let status = if works.load(Relaxed) {
            "200 OK"
        } else {
            "404 Not Found"
        };
        answer(status, "")
    })
}

fn listed(server: &Server) -> Vec<String> {
    let list = server.get("/api/link/list?status=broken").is(200);
    let list = list.json();
    let links = list["links"].as_array().unwrap().iter();
    links
        .map(|link| {
            assert_eq!(link["broken"]["status"], 404, "{link}");
            link["slug"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn a_destination_that_fails_twice_is_broken_until_it_answers() {
    let works = Arc::new(AtomicBool::new(true));
    let outsider = destination(&works);
    let hooks = Outsider::start(|_| answer("204 No Content", ""));
    let server = Server::start_with(&[
        LOOPBACK,
        ("SLUGLINE_WATCH_EVERY", "1"),
        ("SLUGLINE_WEBHOOK_URL", &hooks.url("/hook")),
    ]);
    let url = outsider.url("/page");
    server.create(&json!({"slug": "docs", "url": url}));
    server.create(&json!({"slug": "hidden", "url": outsider.url("/hidden"), "disabled": true}));
    eventually("it is asked", || !outsider.heard().is_empty());
    let fine = server.link("docs");
    assert_eq!(fine["broken"], Value::Null);
    assert_eq!(listed(&server), [""; 0]);

    works.store(false, Relaxed);
    eventually("it is said to be broken", || {
        !server.link("docs")["broken"].is_null()
    });
    let broken = server.link("docs")["broken"].clone();
    assert_eq!(broken["status"], 404, "{broken}");
    assert!(
        broken["since"].as_i64() <= broken["checkedAt"].as_i64(),
        "{broken}"
    );
    assert_eq!(listed(&server), ["docs"]);
    let count = server.get("/api/link/count?status=broken");
    assert_eq!(count.json()["count"], 1);
    let told = call_tool(&server, "get_link", &json!({"slug": "docs"}));
    let told = &told["structuredContent"];
    assert_eq!(told["broken"]["status"], 404, "{told}");
    assert_eq!(
        server.visit("/docs").header("location"),
        url,
        "visitors go on"
    );
    // A client that sends the link back means nothing by what it cannot change.
    let mut sent = server.link("docs");
    sent["comment"] = "seen".into();
    server.call("PUT", "/api/link/edit", &sent).is(201);

    works.store(true, Relaxed);
    eventually("it is mended", || server.link("docs")["broken"].is_null());
    assert_eq!(listed(&server), [""; 0]);
    let news = || {
        let heard = hooks.heard().into_iter();
        let heard = heard.map(|heard| serde_json::from_slice::<Value>(&heard.body).unwrap());
        let news = heard.filter(|message| message["event"] != "link.clicked");
        news.collect::<Vec<Value>>()
    };
    eventually("both are told", || news().len() == 2);
    let [broken, mended] = &news()[..] else {
        panic!("each is told once");
    };
    assert_eq!(broken["event"], "link.broken");
    assert_eq!(broken["data"]["link"]["url"], url);
    assert_eq!(broken["data"]["broken"]["status"], 404);
    assert_eq!(mended["event"], "link.mended");
    assert!(
        outsider
            .heard()
            .iter()
            .all(|heard| !heard.line.contains("/hidden"))
    );
    let metrics = server.get("/_metrics").text;
    assert!(
        metrics.contains(r#"slugline_watch_requests_total{outcome="failed"}"#),
        "{metrics}"
    );
}

#[test]
fn a_link_that_leads_elsewhere_is_no_longer_broken() {
    let outsider = Outsider::start(|heard| {
        let is_old = heard.line.contains("/old");
        answer(if is_old { "410 Gone" } else { "200 OK" }, "")
    });
    let server = Server::start_with(&[LOOPBACK, ("SLUGLINE_WATCH_EVERY", "1")]);
    server.create(&json!({"slug": "docs", "url": outsider.url("/old")}));
    eventually("it is broken", || !server.link("docs")["broken"].is_null());
    let elsewhere = json!({"slug": "docs", "url": outsider.url("/new")});
    server.call("PATCH", "/api/link/edit", &elsewhere).is(200);
    assert_eq!(server.link("docs")["broken"], Value::Null);
    eventually("the new one is asked", || {
        outsider
            .heard()
            .iter()
            .any(|heard| heard.line.contains("/new"))
    });
}

#[test]
fn by_default_nobody_is_asked_and_broken_is_refused_with_the_setting() {
    let outsider = Outsider::start(|_| answer("200 OK", ""));
    let server = Server::start_with(&[LOOPBACK]);
    server.create(&json!({"slug": "docs", "url": outsider.url("/")}));
    let refused = server.get("/api/link/list?status=broken").is(400);
    refused.says("SLUGLINE_WATCH_EVERY");
    let result = call_tool(&server, "list_links", &json!({"status": "broken"}));
    assert_eq!(result["isError"], true, "{result}");
    // Longer than a watch would take to begin.
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(outsider.heard().is_empty());
}
