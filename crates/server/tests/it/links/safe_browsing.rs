//! The service flags dangerous destinations by itself.

use serde_json::json;

use crate::support::{
    outsider::{Outsider, answer},
    server::Server,
};

/// A DNS server that blocks `bad.example`.
pub(crate) fn name_service() -> Outsider {
    Outsider::start(|heard| {
        let address = if heard.line.contains("name=bad.example") {
            "0.0.0.0"
        } else {
            "93.184.216.34"
        };
        let body = json!({"Status": 0, "Answer": [{"type": 1, "data": address}]});
        answer("200 OK", &body.to_string())
    })
}

#[test]
fn a_link_to_a_dangerous_host_gets_a_warning() {
    let service = name_service();
    let url = service.url("/dns-query");
    let server = Server::start_with(&[("SLUGLINE_SAFE_BROWSING_DOH", &url)]);
    let bad = json!({"slug": "bad", "url": "https://bad.example/path"});
    assert_eq!(server.create(&bad)["link"]["unsafe"], true);
    assert!(
        server
            .visit("/bad")
            .text
            .contains("Potentially Unsafe Link")
    );
    let good = json!({"slug": "good", "url": "https://good.example/"});
    assert_eq!(server.create(&good)["link"].get("unsafe"), None);
    server.visit("/good").is(301);
    let decided = json!({"slug": "own", "url": "https://bad.example/", "unsafe": false});
    assert_eq!(server.create(&decided)["link"]["unsafe"], false);
    assert_eq!(service.heard().len(), 2);
    let heard = &service.heard()[0];
    assert_eq!(
        heard.line,
        "GET /dns-query?type=A&name=bad.example HTTP/1.1"
    );

    let moved = json!({"slug": "good", "url": "https://bad.example/"});
    let edited = server.call("PUT", "/api/link/edit", &moved).is(201);
    assert_eq!(edited.json()["link"]["unsafe"], true);
    let kept = server.call("PUT", "/api/link/edit", &moved);
    assert_eq!(
        kept.json()["link"]["unsafe"],
        true,
        "the warning stays, and the same destination is not asked about"
    );
    let elsewhere = json!({"slug": "good", "url": "https://good.example/other"});
    let cleared = server.call("PUT", "/api/link/edit", &elsewhere);
    assert_eq!(cleared.json()["link"].get("unsafe"), None);
    let patch = json!({"slug": "own", "url": "https://bad.example/other"});
    let patched = server.call("PATCH", "/api/link/edit", &patch).is(200);
    assert_eq!(patched.json()["link"]["unsafe"], true);
    let upsert = json!({"url": "https://bad.example/"});
    let upserted = server.post("/api/link/upsert", &upsert).is(201);
    assert_eq!(upserted.json()["link"]["unsafe"], true);
    assert_eq!(service.heard().len(), 6);
}

#[test]
fn a_name_service_that_fails_stops_nobody() {
    let service = Outsider::start(|_| answer("503 Service Unavailable", "{}"));
    let url = service.url("/");
    let server = Server::start_with(&[("SLUGLINE_SAFE_BROWSING_DOH", &url)]);
    let made = server.create(&json!({"url": "https://bad.example/"}));
    assert_eq!(made["link"].get("unsafe"), None);
    assert_eq!(service.heard().len(), 1);
}

#[test]
fn destinations_for_some_visitors_and_imported_ones_are_looked_at_too() {
    let service = name_service();
    let url = service.url("/dns-query");
    let server = Server::start_with(&[("SLUGLINE_SAFE_BROWSING_DOH", &url)]);
    let (good, bad) = ("https://good.example/", "https://bad.example/");
    for (slug, routing) in [
        ("a", json!({"apple": bad})),
        ("b", json!({"google": bad})),
        ("c", json!({"geo": {"DE": good, "FR": bad}})),
    ] {
        let mut link = json!({"slug": slug, "url": good});
        let members = link.as_object_mut().unwrap();
        members.extend(routing.as_object().unwrap().clone());
        assert_eq!(server.create(&link)["link"]["unsafe"], true, "{link}");
        link["slug"] = json!(format!("imported-{slug}"));
        let import = json!({"version": "1.0", "links": [link]});
        let imported = server.post("/api/link/import", &import);
        assert_eq!(imported.json()["success"], 1, "{}", imported.text);
        let warned = server.visit(&format!("/imported-{slug}"));
        assert!(warned.text.contains("Potentially Unsafe Link"), "{link}");
    }
    let decided = json!({"version": "1.0",
        "links": [{"slug": "own", "url": bad, "unsafe": false}, {"slug": "fine", "url": good}]});
    let imported = server.post("/api/link/import", &decided);
    assert_eq!(imported.json()["success"], 2, "{}", imported.text);
    server.visit("/own").is(301);
    server.visit("/fine").is(301);
}
