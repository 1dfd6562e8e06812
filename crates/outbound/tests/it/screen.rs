//! The domain's screen, on a name service under the test's control.

use rstest::rstest;
use slugline_domain::{Destination, DestinationRules, ports::DestinationScreen};
use slugline_outbound::{Client, NameServiceScreen, Policy};

use crate::support::{Listener, Script};

async fn flags(service: &Listener, query: &str, url: &str) -> bool {
    let rules = DestinationRules::new(1000, vec!["mailto".parse().unwrap()]);
    let destination = Destination::parse(url, &rules).unwrap();
    let service = format!("http://localhost:{}/dns-query{query}", service.port);
    let client = Client::new(Policy::for_operators_servers());
    NameServiceScreen::new(client, service.parse().unwrap())
        .flags(&destination)
        .await
}

#[rstest]
#[case::hidden(
    r#"{"Status":0,"Answer":[{"name":"b.example","type":1,"TTL":60,"data":"0.0.0.0"}]}"#,
    true
)]
#[case::hidden_behind_an_alias(
    r#"{"Answer":[{"type":5,"data":"c.example."},{"type":1,"data":"0.0.0.0"}]}"#,
    true
)]
#[case::known(
    r#"{"Answer":[{"type":1,"data":"10.0.0.0"},{"type":1,"data":"93.184.216.34"}]}"#,
    false
)]
#[case::unknown(r#"{"Status":3}"#, false)]
#[case::no_json("0.0.0.0", false)]
#[case::another_shape(r#"{"Answer":"0.0.0.0"}"#, false)]
#[tokio::test]
async fn a_name_that_the_service_hides_is_flagged(#[case] answer: &str, #[case] flagged: bool) {
    let service = Listener::start(Script::ok(answer)).await;
    let url = "https://user@BÜCHER.example:8443/path?query#fragment";
    assert_eq!(flags(&service, "?key=a%26b", url).await, flagged);
    let asked = &service.requests()[0];
    assert!(
        asked
            .starts_with("GET /dns-query?key=a%26b&type=A&name=xn--bcher-kva.example HTTP/1.1\r\n"),
        "{asked}"
    );
    assert!(
        asked.contains("accept: application/dns-json\r\n"),
        "{asked}"
    );
    assert!(
        !asked.contains("query#") && !asked.contains("user@"),
        "{asked}"
    );
}

#[rstest]
#[case::an_error(
    "HTTP/1.1 500 Oops\r\ncontent-length: 32\r\n\r\n{\"Answer\":[{\"data\":\"0.0.0.0\"}]}\n"
)]
#[case::a_redirect("HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n")]
#[case::no_http("SSH-2.0-x\r\n")]
#[case::nothing("")]
#[tokio::test]
async fn what_the_service_fails_to_say_counts_as_safe(#[case] answer: &str) {
    let service = Listener::start(Script::Say(answer.into())).await;
    assert!(!flags(&service, "", "https://bad.example/").await);
    assert_eq!(service.connections(), 1);
}

#[rstest]
#[case("http://9.9.9.9/")]
#[case("http://[2606:4700::1111]/")]
#[case("mailto:somebody@bad.example")]
#[tokio::test]
async fn what_has_no_name_is_not_asked_about(#[case] url: &str) {
    let service = Listener::start(Script::ok(r#"{"Answer":[{"data":"0.0.0.0"}]}"#)).await;
    assert!(!flags(&service, "", url).await);
    assert_eq!(service.connections(), 0);
}
