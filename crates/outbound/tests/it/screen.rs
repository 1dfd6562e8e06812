//! The domain's screen, on a name service under the test's control.

use rstest::rstest;
use slugline_domain::{Destination, DestinationRules, ScreenVerdict, ports::DestinationScreen};
use slugline_outbound::{Client, NameServiceScreen, Policy};

use crate::support::{Listener, Script};

async fn judge(service: &Listener, query: &str, urls: &[&str]) -> Vec<ScreenVerdict> {
    let rules = DestinationRules::new(1000, vec!["mailto".parse().unwrap()]);
    let parse = |url: &&str| Destination::parse(url, &rules).unwrap();
    let destinations: Vec<Destination> = urls.iter().map(parse).collect();
    let service = format!("http://localhost:{}/dns-query{query}", service.port);
    let client = Client::new(Policy::for_operators_servers());
    NameServiceScreen::new(client, service.parse().unwrap())
        .judge(&destinations)
        .await
}

#[rstest]
#[case::hidden(
    r#"{"Status":0,"Answer":[{"name":"b.example","type":1,"TTL":60,"data":"0.0.0.0"}]}"#,
    ScreenVerdict::Dangerous
)]
#[case::hidden_behind_an_alias(
    r#"{"Answer":[{"type":5,"data":"c.example."},{"type":1,"data":"0.0.0.0"}]}"#,
    ScreenVerdict::Dangerous
)]
#[case::known(
    r#"{"Answer":[{"type":1,"data":"10.0.0.0"},{"type":1,"data":"93.184.216.34"}]}"#,
    ScreenVerdict::Harmless
)]
#[case::without_address(r#"{"Status":3}"#, ScreenVerdict::Harmless)]
#[case::no_json("0.0.0.0", ScreenVerdict::Unknown)]
#[case::another_shape(r#"{"Answer":"0.0.0.0"}"#, ScreenVerdict::Unknown)]
#[tokio::test]
async fn a_name_that_the_service_hides_is_dangerous(
    #[case] answer: &str,
    #[case] verdict: ScreenVerdict,
) {
    let service = Listener::start(Script::ok(answer)).await;
    let url = "https://user@BÜCHER.example:8443/path?query#fragment";
    assert_eq!(judge(&service, "?key=a%26b", &[url]).await, [verdict]);
    let asked = &service.requests()[0];
    let line = "GET /dns-query?key=a%26b&type=A&name=xn--bcher-kva.example HTTP/1.1\r\n";
    assert!(asked.starts_with(line), "{asked}");
    for (part, is_sent) in [
        ("accept: application/dns-json\r\n", true),
        ("query#", false),
        ("user@", false),
    ] {
        assert_eq!(asked.contains(part), is_sent, "{asked}");
    }
}

#[rstest]
#[case::an_error(
    "HTTP/1.1 500 Oops\r\ncontent-length: 32\r\n\r\n{\"Answer\":[{\"data\":\"0.0.0.0\"}]}\n"
)]
#[case::a_redirect("HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n")]
#[case::no_http("SSH-2.0-x\r\n")]
#[case::nothing("")]
#[tokio::test]
async fn what_the_service_fails_to_say_is_unknown(#[case] answer: &str) {
    let service = Listener::start(Script::Say(answer.into())).await;
    let verdicts = judge(&service, "", &["https://bad.example/"]).await;
    assert_eq!(verdicts, [ScreenVerdict::Unknown]);
    assert_eq!(service.connections(), 1);
}

#[rstest]
#[case("http://9.9.9.9/")]
#[case("http://[2606:4700::1111]/")]
#[case("mailto:somebody@bad.example")]
#[tokio::test]
async fn what_has_no_name_is_not_asked_about(#[case] url: &str) {
    let service = Listener::start(Script::ok(r#"{"Answer":[{"data":"0.0.0.0"}]}"#)).await;
    assert_eq!(judge(&service, "", &[url]).await, [ScreenVerdict::Unknown]);
    assert_eq!(service.connections(), 0);
}

#[tokio::test]
async fn of_many_destinations_each_name_is_asked_about_once() {
    let service = Listener::start(Script::ok(r#"{"Answer":[{"data":"0.0.0.0"}]}"#)).await;
    let mut urls: Vec<String> = (0..100)
        .map(|number| format!("https://host{number}.example/"))
        .collect();
    urls.push("https://host7.example/another/page".into());
    urls.push("http://9.9.9.9/".into());
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let verdicts = judge(&service, "", &urls).await;
    assert_eq!(verdicts[..101], [ScreenVerdict::Dangerous; 101]);
    assert_eq!(verdicts[101], ScreenVerdict::Unknown);
    assert_eq!(service.connections(), 100);
}
