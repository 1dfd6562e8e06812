//! Limits of time and size.

use slugline_testkit::{assert_matches, with};
use std::time::Duration;

use rstest::rstest;
use slugline_outbound::{Error, Request};

use crate::support::{Listener, Script, client, everything_allowed, get};

const OK: &str = "HTTP/1.1 200 OK\r\n\r\n";
const DRIP: Duration = Duration::from_millis(20);

fn hurried(port: u16) -> Request {
    Request {
        timeout: Duration::from_millis(400),
        ..get(&format!("http://127.0.0.1:{port}/"))
    }
}

#[rstest]
#[case::in_the_head("HTTP/1.1 200 OK\r\nx: ", "y")]
#[case::in_early_hints("HTTP/1.1 103 Early Hints\r\n\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n")]
#[case::in_the_body(OK, "y")]
#[tokio::test]
async fn a_dripping_server_ends_at_the_deadline(#[case] first: &str, #[case] then: &str) {
    let drip = Script::Repeat(first.into(), then.into(), DRIP);
    let server = Listener::start(drip).await;
    // The server drips for ever, so only the deadline can end this.
    let failed = client(&everything_allowed())
        .fetch(hurried(server.port), 1 << 20)
        .await;
    assert_matches!(failed, Err(Error::TimedOut { .. }));
}

#[tokio::test]
async fn the_deadline_covers_all_hops_together() {
    // Each hop alone would be in time, and a deadline for each would end in too
    // many redirects.
    let slow = Script::Repeat(
        String::new(),
        "HTTP/1.1 302 Found\r\nlocation: /\r\n\r\n".into(),
        Duration::from_millis(150),
    );
    let server = Listener::start(slow).await;
    let failed = client(&everything_allowed())
        .status(hurried(server.port))
        .await;
    assert_matches!(failed, Err(Error::TimedOut { .. }));
}

#[rstest]
#[case::in_the_body(OK)]
#[case::as_announced("HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n")]
#[tokio::test]
async fn a_flooding_server_ends_at_the_size_limit(#[case] first: &str) {
    let flood = Script::Repeat(first.into(), "y".repeat(16_384), Duration::ZERO);
    let server = Listener::start(flood).await;
    let failed = client(&everything_allowed())
        .fetch(get(&server.url()), 100_000)
        .await;
    assert_matches!(failed, Err(Error::TooLarge { max: 100_000 }));
}

#[rstest]
#[case::one_long("x: ", &"y".repeat(16_384))]
#[case::many("", &"x: y\r\n".repeat(50))]
#[tokio::test]
async fn a_head_without_end_is_an_error(#[case] first: &str, #[case] then: &str) {
    let head = format!("HTTP/1.1 200 OK\r\n{first}");
    let server = Listener::start(Script::Repeat(head, then.into(), Duration::ZERO)).await;
    let failed = server.status().await;
    assert_matches!(failed, Err(Error::Http(_)));
}

#[rstest]
#[case(32 * 1024, true)]
#[case(100 * 1024, false)]
#[tokio::test]
async fn a_large_head_is_read_and_a_huge_one_is_an_error(
    #[case] bytes: usize,
    #[case] is_read: bool,
) {
    let padding = "y".repeat(bytes);
    let head = format!("HTTP/1.1 200 OK\r\nx: {padding}\r\n\r\n");
    let server = Listener::start(Script::Say(head)).await;
    let answer = server.status().await;
    assert_eq!(answer.is_ok(), is_read, "{answer:?}");
}

#[tokio::test]
async fn a_status_does_not_wait_for_the_body() {
    let server = Listener::start(Script::Repeat(OK.into(), "y".into(), DRIP)).await;
    // The body never ends.
    let status = server.status().await;
    assert_eq!(status.unwrap(), 200);
}

#[tokio::test]
async fn what_is_no_http_is_an_error() {
    let server = Listener::start(Script::Say("220 mail.example ESMTP\r\n".into())).await;
    let failed = server.status().await;
    assert_matches!(failed, Err(Error::Http(_)));
    let url = format!("https://127.0.0.1:{}/", server.port);
    let secure = with(hurried(server.port), |it| it.url = url.parse().unwrap());
    let failed = client(&everything_allowed()).status(secure).await;
    assert_matches!(failed, Err(Error::Tls(_) | Error::TimedOut { .. }));
}
