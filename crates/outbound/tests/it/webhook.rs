//! Messages about visits, to a receiver under the test's control.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use rstest::rstest;
use serde_json::{Value, json};
use sha2::Sha256;
use slugline_domain::{
    Campaign, Derivation, Dimension, Place, PlaceName, Protection, SamplingInterval, VisitRecord,
    ports::VisitObserver,
};
use slugline_outbound::{Client, Policy, RetryPolicy, Webhook, WebhookOptions, WebhookSecret};
use slugline_testkit::{FixedClock, NOON, SeededRandom, link, with};

use crate::support::{Listener, Script};

/// Bytes 0 to 31.
const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// Milliseconds of pause instead of seconds.
fn hasty() -> RetryPolicy {
    RetryPolicy {
        timeout: Duration::from_secs(20),
        first_pause: Duration::from_millis(2),
        longest_pause: Duration::from_millis(50),
        grace: Duration::from_secs(20),
        ..RetryPolicy::default()
    }
}

fn calling(port: u16, retries: RetryPolicy) -> Webhook {
    let url = format!("http://localhost:{port}/hook?key=a");
    let options = WebhookOptions {
        url: url.parse().unwrap(),
        secret: Some(WebhookSecret::parse(SECRET).unwrap()),
        retries,
    };
    let client = Client::new(Policy::for_operators_servers());
    let clock = Arc::new(FixedClock::at(NOON));
    Webhook::start(options, client, clock, Arc::new(SeededRandom::new(1)))
}

/// A visit of this link, from a desktop in Munich.
fn observe(webhook: &Webhook, slug: &str) {
    observe_as(webhook, slug, |record| record);
}

fn observe_as(
    webhook: &Webhook,
    slug: &str,
    change: impl for<'v> FnOnce(VisitRecord<'v>) -> VisitRecord<'v>,
) {
    let link = link(slug).id("link-1").build();
    let key = link.key.to_string();
    let place = Place {
        country: slugline_domain::Country::parse("DE").ok(),
        region: PlaceName::new("Bavaria"),
        city: PlaceName::new("München"),
        ..Place::default()
    };
    webhook.observe(&change(VisitRecord {
        at: NOON.start(),
        link_id: link.id.as_str(),
        slug: &key,
        url: "https://secret.example/",
        protection: Protection::Password,
        user_agent: "Mozilla/5.0",
        referer: "news.example",
        language: "de-DE",
        os: "macOS",
        browser: "Chrome",
        browser_type: "",
        device: "",
        device_type: "",
        place: &place,
        campaign: Campaign::default(),
        interval: SamplingInterval::EVERY,
    }));
}

fn header<'h>(head: &'h str, name: &str) -> &'h str {
    let line = head
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no {name}: {head}"))
}

/// The first message that a receiver got.
fn told(receiver: &Listener) -> Value {
    serde_json::from_str(&receiver.bodies()[0]).unwrap()
}

/// A receiver that answers by the number of the request, from 0.
async fn answering(answers: &[&str]) -> Listener {
    let answer = |status| format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
    let answers = answers.iter().map(answer);
    Listener::start(Script::InTurn(answers.collect())).await
}

#[tokio::test]
async fn a_message_names_the_domain_of_a_link_that_has_one() {
    let receiver = answering(&["204 No Content"]).await;
    let webhook = calling(receiver.port, hasty());
    observe_as(&webhook, "docs", |record| {
        with(record, |it| it.slug = "go.example/docs")
    });
    webhook.shutdown().await;
    let link = json!({"id": "link-1", "slug": "docs", "domain": "go.example"});
    assert_eq!(told(&receiver)["data"]["link"], link);
}

#[tokio::test]
async fn a_visit_is_told_signed_and_without_what_is_nobodys_business() {
    let receiver = answering(&["204 No Content"]).await;
    let webhook = calling(receiver.port, hasty());
    observe(&webhook, "docs");
    webhook.shutdown().await;

    let (head, body) = (&receiver.requests()[0], &receiver.bodies()[0]);
    assert!(head.starts_with("POST /hook?key=a HTTP/1.1\r\n"), "{head}");
    assert_eq!(header(head, "content-type"), "application/json");
    let id = header(head, "webhook-id");
    assert_eq!(header(head, "webhook-timestamp"), NOON.get().to_string());
    let mut message: Value = serde_json::from_str(body).unwrap();
    for &dimension in Dimension::ALL {
        if matches!(dimension.derivation(), Some(Derivation::Rules(_))) {
            let members = message["data"]["click"].as_object_mut().unwrap();
            let value = members.remove(dimension.name()).unwrap();
            assert!(!value.as_str().unwrap().is_empty(), "{dimension:?}");
        }
    }
    let click = message["data"]["click"]["id"].take();
    assert!(click.as_str().unwrap().starts_with("clk_") && id.starts_with("evt_"));
    assert_eq!(
        message,
        json!({
            "id": id,
            "event": "link.clicked",
            "createdAt": "2027-01-15T08:00:00.000Z",
            "data": {
                "click": {
                    "id": null, "timestamp": "2027-01-15T08:00:00.000Z",
                    "country": "DE", "region": "Bavaria", "city": "München",
                    "device": "", "browser": "Chrome", "os": "macOS", "referer": "news.example",
                },
                "link": {"id": "link-1", "slug": "docs"},
            },
        })
    );
    // What receivers compute from the message and the secret.
    let key = BASE64_STANDARD.decode(&SECRET["whsec_".len()..]).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(format!("{id}.{}.{body}", NOON.get()).as_bytes());
    let signature = BASE64_STANDARD.encode(mac.finalize().into_bytes());
    let told = header(head, "webhook-signature");
    assert_eq!(told, format!("v1,{signature}"), "{id} {body}");
}

#[tokio::test]
async fn a_kind_of_device_counts_before_its_model_and_a_sample_says_so() {
    let receiver = answering(&["200 OK"]).await;
    let webhook = calling(receiver.port, hasty());
    observe_as(&webhook, "docs", |record| VisitRecord {
        device: "iPhone",
        device_type: "mobile",
        interval: SamplingInterval::new(4).unwrap(),
        place: const { &NOWHERE },
        ..record
    });
    webhook.shutdown().await;
    let click = &told(&receiver)["data"]["click"];
    assert_eq!(click["device"], "mobile");
    assert_eq!(click["interval"], 4);
    for unknown in ["country", "region", "city"] {
        assert_eq!(click[unknown], "");
    }
}

#[tokio::test]
async fn only_a_visit_that_comes_from_a_campaign_tells_of_it() {
    let receiver = answering(&["200 OK"]).await;
    let webhook = calling(receiver.port, hasty());
    observe_as(&webhook, "docs", |record| VisitRecord {
        campaign: Campaign {
            source: "newsletter",
            medium: "",
            name: "spring",
        },
        ..record
    });
    webhook.shutdown().await;
    let click = &told(&receiver)["data"]["click"];
    assert_eq!(click["utmSource"], "newsletter");
    assert_eq!(click["utmCampaign"], "spring");
    assert!(click.get("utmMedium").is_none(), "{click}");
}

const NOWHERE: Place = Place {
    country: None,
    region: None,
    city: None,
    timezone: None,
    colo: None,
    coordinates: None,
};

#[rstest]
#[case::errors(&["500 Oops", "503 Later", "429 Slow down", "200 OK"], 4)]
#[case::to_the_last(&["500 Oops", "500 Oops", "500 Oops", "500 Oops", "500 Oops", "201 Created"], 6)]
#[case::given_up(&["500 Oops"], 6)]
#[case::refused(&["400 Bad"], 1)]
#[case::sent_elsewhere(&["307 There\r\nlocation: /there"], 1)]
#[case::what_is_no_http(&["abc"], 6)]
#[tokio::test]
async fn what_may_go_better_later_is_tried_again(
    #[case] answers: &[&str],
    #[case] attempts: usize,
) {
    let receiver = answering(answers).await;
    let webhook = calling(receiver.port, hasty());
    observe(&webhook, "docs");
    webhook.shutdown().await;
    assert_eq!(receiver.connections(), attempts);
    // A receiver recognises a repetition by its id and its body.
    let heads = receiver.requests();
    let ids: HashSet<_> = heads
        .iter()
        .map(|head| header(head, "webhook-id"))
        .collect();
    let bodies: HashSet<_> = receiver.bodies().into_iter().collect();
    assert_eq!((ids.len(), bodies.len()), (1, 1));
}

#[rstest]
#[case::seconds("retry-after: 1", 900)]
#[case::a_date("retry-after: Fri, 15 Jan 2027 08:00:01 GMT", 900)]
#[case::more_than_is_reasonable("retry-after: 86400", 1_100)]
#[case::nonsense("retry-after: soon", 0)]
#[tokio::test]
async fn a_receiver_may_ask_for_a_pause(#[case] asked: &str, #[case] at_least: u64) {
    let busy = format!("503 Busy\r\n{asked}");
    let receiver = answering(&[&busy, "200 OK"]).await;
    let retries = RetryPolicy {
        longest_pause: Duration::from_millis(1_200),
        ..hasty()
    };
    let webhook = calling(receiver.port, retries);
    let started = Instant::now();
    observe(&webhook, "docs");
    webhook.shutdown().await;
    assert_eq!(receiver.connections(), 2);
    let waited = started.elapsed();
    assert!(waited >= Duration::from_millis(at_least), "{waited:?}");
}

#[tokio::test]
async fn a_receiver_that_is_gone_hears_no_more() {
    let receiver = answering(&["410 Gone", "200 OK"]).await;
    let webhook = calling(receiver.port, hasty());
    observe(&webhook, "first");
    while receiver.connections() == 0 {
        tokio::task::yield_now().await;
    }
    // Once the answer is read, nothing more is accepted.
    let deadline = Instant::now() + Duration::from_secs(20);
    while !webhook.receiver_is_gone() {
        assert!(Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    observe(&webhook, "second");
    webhook.shutdown().await;
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn a_hanging_receiver_holds_up_nobody_and_what_has_no_room_is_dropped() {
    let silence = Script::Repeat(String::new(), String::new(), Duration::from_mins(1));
    let receiver = Listener::start(silence).await;
    let retries = RetryPolicy {
        queue: 3,
        pending: 2,
        connections: 1,
        grace: Duration::from_millis(100),
        ..hasty()
    };
    let webhook = calling(receiver.port, retries);
    for _ in 0..1_000 {
        observe(&webhook, "docs");
    }
    // The background task has not run yet.
    assert_eq!(webhook.dropped(), 997);
    while receiver.connections() == 0 {
        tokio::task::yield_now().await;
    }
    // The end waits neither for the hanging attempt nor for another.
    webhook.shutdown().await;
    assert_eq!(receiver.connections(), 1);
    webhook.shutdown().await;
}

#[tokio::test]
async fn all_that_was_taken_is_delivered_before_the_end() {
    let receiver = answering(&["200 OK"]).await;
    let webhook = calling(receiver.port, hasty());
    let slugs: HashSet<String> = (0..200).map(|number| format!("link-{number}")).collect();
    for slug in &slugs {
        observe(&webhook, slug);
    }
    webhook.shutdown().await;
    let told = receiver.bodies();
    let told = told.iter().map(|body| {
        let message: Value = serde_json::from_str(body).unwrap();
        message["data"]["link"]["slug"].as_str().unwrap().to_owned()
    });
    assert_eq!(told.collect::<HashSet<_>>(), slugs);
    observe(&webhook, "late");
    assert_eq!(receiver.connections(), 200);
}
