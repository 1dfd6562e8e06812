//! Behaviour that only Redis has: times to live, other types, restarts.

use slugline_domain::{
    OldPage, UnixSeconds,
    ports::{OldStore, OldStoreError},
};
use slugline_testkit::{assert_matches, slug};

use crate::redis_server::RedisServer;

const VALUE: &str = r#"{"url":"https://example.com/"}"#;

#[tokio::test]
async fn a_time_to_live_is_the_links_expiry() {
    let server = RedisServer::start();
    let mut commands = redis::pipe();
    let at = 4_000_000_000_i64;
    for (key, option, time) in [("link:ends", "EXAT", at), ("link:gone", "PX", 1)] {
        let set = commands.cmd("SET").arg(key).arg(VALUE);
        set.arg(option).arg(time);
    }
    commands.cmd("SET").arg("link:stays").arg(VALUE);
    let gone = commands.cmd("WAIT").arg(1).arg(20);
    server.run(gone).await;
    let store = server.store();
    let expiry = async |text| {
        let link = store.find(&slug(text)).await.unwrap().unwrap();
        link.content.expires_at.map(UnixSeconds::get)
    };
    assert_eq!(expiry("ends").await, Some(at));
    assert_eq!(expiry("stays").await, None);
    assert_eq!(store.find(&slug("gone")).await.unwrap(), None);
    assert_eq!(store.page(None).await.unwrap().entries.len(), 2);
}

#[tokio::test]
async fn what_is_no_string_or_not_even_text_is_reported() {
    let server = RedisServer::start();
    let mut commands = redis::pipe();
    commands.cmd("HSET").arg("link:hash").arg("url").arg(VALUE);
    commands.cmd("SET").arg(b"link:\xff").arg(VALUE);
    commands.cmd("SET").arg("link:bytes").arg(b"\xff");
    commands.cmd("LPUSH").arg("links").arg("x");
    server.run(&commands).await;
    let page = server.store().page(None).await.unwrap();
    let reasons = page.entries.iter().map(|entry| {
        let fault = entry.link.as_ref().unwrap_err();
        format!("{}: {}", entry.key, fault.as_str())
    });
    let expected = [
        "link:bytes: the value is not JSON: expected value at line 1 column 1",
        "link:hash: the entry is no string",
        "link:\u{fffd}: the key is not UTF-8",
    ];
    assert_eq!(reasons.collect::<Vec<_>>(), expected);
    assert_eq!((page.ignored, page.next), (1, None));
}

async fn first_of_many(server: &RedisServer) -> OldPage {
    let entry = |number| (format!("link:l{number}"), VALUE.to_owned());
    server.set(&(0..1000).map(entry).collect::<Vec<_>>()).await;
    server.store().page(None).await.unwrap()
}

#[tokio::test]
async fn a_server_that_went_away_is_named_and_found_again() {
    let mut server = RedisServer::start();
    let cursor = first_of_many(&server).await.next;
    let store = server.store();
    store.ping().await.unwrap();
    server.kill();
    let error = store.page(cursor.as_ref()).await.unwrap_err();
    assert_matches!(error, OldStoreError::Unavailable { .. });
    server.start_again();
    server.run(redis::pipe().cmd("PING")).await;
    // The entries are the same, but another process lists them in another
    // order.
    let error = store.page(cursor.as_ref()).await.unwrap_err();
    assert_matches!(error, OldStoreError::CursorLost);
    assert!(store.find(&slug("l7")).await.unwrap().is_some());
    assert!(!store.page(None).await.unwrap().entries.is_empty());
}
