//! The domain's forwarder on the client.

use slugline_testkit::assert_matches;
use std::{future::poll_fn, time::Duration};

use slugline_domain::{ForwardFailure, ForwardedAnswer, ForwardedRequest, ports::Forwarder};
use slugline_outbound::HttpForwarder;

use crate::support::{Listener, Names, Script, client, everything_allowed, strict_client};

fn asking(method: &str, target: &str) -> ForwardedRequest {
    ForwardedRequest {
        method: method.to_owned(),
        target: target.to_owned(),
        headers: vec![("x-own".to_owned(), b"kept".to_vec())],
        body: None,
    }
}

async fn text(mut answer: ForwardedAnswer) -> String {
    let mut all = Vec::new();
    while let Some(chunk) = poll_fn(|context| answer.body.source.poll_chunk(context)).await {
        all.extend(chunk.unwrap());
    }
    String::from_utf8(all).unwrap()
}

#[tokio::test]
async fn an_answer_is_passed_on_with_its_length() {
    let server = Listener::start(Script::ok("hello")).await;
    let forwarder = HttpForwarder::new(client(&everything_allowed()));
    let target = format!("http://shop.example:{}/a", server.port);
    let answer = forwarder.forward(asking("GET", &target)).await.unwrap();
    assert_eq!((answer.status, answer.body.length), (200, Some(5)));
    assert_eq!(text(answer).await, "hello");
}

#[tokio::test]
async fn a_name_that_turns_inward_is_refused_at_once_or_between_hops() {
    let server = Listener::start_with(|port| {
        Script::redirect(&format!("http://rebind.example:{port}/again"))
    })
    .await;
    let target = server.at("rebind.example");
    let turning = Names::new(&[&["127.0.0.1"], &["169.254.169.254"]]);
    let refused = HttpForwarder::new(client(&turning))
        .forward(asking("GET", &target))
        .await;
    assert_eq!(refused.unwrap_err(), ForwardFailure::NotAllowed);
    assert_eq!(server.connections(), 1);
    let strict = HttpForwarder::new(strict_client(&everything_allowed()));
    let refused = strict.forward(asking("GET", &target)).await;
    assert_eq!(refused.unwrap_err(), ForwardFailure::NotAllowed);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn what_is_no_request_and_what_gives_no_answer_has_failed() {
    let server =
        Listener::start(Script::Repeat(String::new(), String::new(), Duration::ZERO)).await;
    let port = server.port;
    drop(server);
    let forwarder = HttpForwarder::new(client(&everything_allowed()));
    let closed = format!("http://127.0.0.1:{port}/");
    for (method, target) in [
        ("GET", "nonsense"),
        ("G T", closed.as_str()),
        ("GET", &closed),
    ] {
        let failed = forwarder.forward(asking(method, target)).await;
        assert_matches!(failed, Err(ForwardFailure::Failed(_)));
    }
}
