//! The webhook sends messages about visits.

use serde_json::{Value, json};

use crate::support::{
    outsider::{Outsider, answer},
    server::{Server, eventually, refusal},
};

const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

#[test]
fn a_receiver_hears_of_visits_and_of_the_last_ones_too() {
    let receiver = Outsider::start(|_| answer("204 No Content", ""));
    let server = Server::start_with(&[
        ("NUXT_WEBHOOK_URL", &receiver.url("/hook")),
        ("SLUGLINE_WEBHOOK_SECRET", SECRET),
    ]);
    let link = server.create(&json!({"slug": "docs", "url": "https://example.com/secret"}));
    let visit = server
        .request("GET", "/docs?utm_source=newsletter&token=secret")
        .header("referer", "https://news.example/a?b");
    assert_eq!(visit.send().status, 301);
    eventually("the first visit", || !receiver.heard().is_empty());
    let heard = &receiver.heard()[0];
    assert_eq!(heard.line, "POST /hook HTTP/1.1");
    let message: Value = serde_json::from_slice(&heard.body).unwrap();
    assert_eq!(message["event"], "link.clicked");
    assert_eq!(heard.header("webhook-id"), message["id"].as_str());
    assert_eq!(
        message["data"]["link"],
        json!({"id": link["link"]["id"], "slug": "docs"})
    );
    assert_eq!(message["data"]["click"]["referer"], "news.example");
    assert_eq!(message["data"]["click"]["utmSource"], "newsletter");
    assert!(
        heard
            .header("webhook-signature")
            .unwrap()
            .starts_with("v1,")
    );
    let told = String::from_utf8_lossy(&heard.body);
    assert!(
        !told.contains("secret") && !told.contains("127.0.0.1"),
        "{told}"
    );

    // A gate is not a visit and sends no message.
    server.create(&json!({"slug": "locked", "url": "https://example.com/", "password": "pw"}));
    assert_eq!(server.visit("/locked").status, 200);
    for _ in 0..20 {
        server.visit("/docs");
    }
    assert!(server.stop("TERM").0.success());
    assert_eq!(receiver.heard().len(), 21);
}

#[test]
fn a_receiver_that_hangs_holds_up_neither_visitors_nor_the_end() {
    let receiver = Outsider::start_with(|_, stream| {
        // Waits until the client gives up.
        let _ = std::io::Read::read(stream, &mut [0]);
    });
    let server = Server::start_with(&[("SLUGLINE_WEBHOOK_URL", &receiver.url("/"))]);
    server.create(&json!({"slug": "docs", "url": "https://example.com/"}));
    for _ in 0..50 {
        assert_eq!(server.visit("/docs").status, 301);
    }
    eventually("the first attempt", || !receiver.heard().is_empty());
    server.counters_with("", 50);
    assert!(server.stop("TERM").0.success());
}

#[test]
fn a_wrong_secret_stops_the_start_and_is_not_shown() {
    let output = refusal(&[
        ("SLUGLINE_WEBHOOK_URL", "https://hooks.example/"),
        ("SLUGLINE_WEBHOOK_SECRET", "hunter2"),
    ]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        said.contains("SLUGLINE_WEBHOOK_SECRET") && said.contains("whsec_"),
        "{said}"
    );
    assert!(!said.contains("hunter2"), "{said}");
}
