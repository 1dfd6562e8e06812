//! Searching and counting links.

use slugline_domain::{
    LinkFilter, LinkStatus, SearchText, StatusFilter,
    ports::{LinkStore, Version},
};

use super::shorthand::{everywhere, store};
use crate::{NOON, NOTE, destination, full_link, link, tag};

pub(super) fn with_text(text: &str) -> LinkFilter {
    LinkFilter {
        text: Some(SearchText::parse(text).expect("a search")),
        ..everywhere()
    }
}

/// The slugs found, after checking that the count agrees.
pub(super) async fn found(store: &impl LinkStore, filter: &LinkFilter) -> Vec<String> {
    let links = store.search(filter, NOON, 100).await.expect("search");
    let count = store.count(filter, NOON).await.expect("count");
    assert_eq!(
        u64::try_from(links.len()).expect("few links"),
        count,
        "{filter:?}"
    );
    links.into_iter().map(|link| link.key.to_string()).collect()
}

pub(super) async fn searches_find_text_anywhere_without_regard_to_case(store_: &impl LinkStore) {
    store(
        store_,
        &link("Alpha").to("https://news.example/Path?q=1").build(),
    )
    .await;
    store(
        store_,
        &link("beta")
            .comment("Über 50%_x! alles")
            .tags(&["grün"])
            .build(),
    )
    .await;
    store(store_, &link("gamma").tags(&["alphabet"]).build()).await;
    for (text, slugs) in [
        ("alpha", vec!["Alpha", "gamma"]),
        ("ALPHA", vec!["Alpha", "gamma"]),
        ("news.example/path?Q=1", vec!["Alpha"]),
        ("über", vec!["beta"]),
        ("GRÜN", vec!["beta"]),
        ("50%_x!", vec!["beta"]),
        ("0%a", vec![]),
        ("mm", vec!["gamma"]),
        ("b", vec!["beta", "gamma"]),
        ("\u{e4}", vec![]),
        ("\"", vec![]),
        ("a\" OR \"b", vec![]),
        ("example", vec!["Alpha", "beta", "gamma"]),
    ] {
        assert_eq!(found(store_, &with_text(text)).await, slugs, "{text:?}");
    }
    let first = store_
        .search(&with_text("example"), NOON, 2)
        .await
        .expect("search");
    assert_eq!(first.len(), 2);
}

pub(super) async fn searches_find_every_destination(store_: &impl LinkStore) {
    let full = full_link("full");
    store(store_, &full).await;
    for destination in full.content.destinations() {
        let text = with_text(destination.as_str());
        assert_eq!(found(store_, &text).await, ["full"], "{destination}");
    }
}

pub(super) async fn searches_meet_every_condition(store_: &impl LinkStore) {
    store(
        store_,
        &link("a")
            .to("https://e.example/x?utm=1#top")
            .tags(&["t"])
            .build(),
    )
    .await;
    store(
        store_,
        &link("b")
            .to("https://e.example/x?utm=2#top")
            .expires(-1)
            .build(),
    )
    .await;
    store(
        store_,
        &link("c").to("https://e.example/x").tags(&["t"]).build(),
    )
    .await;
    let to = |url: &str| LinkFilter {
        destination: Some(destination(url)),
        ..everywhere()
    };
    assert_eq!(
        found(store_, &to("https://e.example/x#top")).await,
        ["a", "b"]
    );
    assert_eq!(found(store_, &to("https://e.example/x?other")).await, ["c"]);
    assert_eq!(
        found(store_, &to("https://e.example/X")).await,
        Vec::<String>::new()
    );
    let active = LinkFilter {
        status: StatusFilter::Current,
        ..to("https://e.example/x#top")
    };
    assert_eq!(found(store_, &active).await, ["a"]);
    let tagged = LinkFilter {
        tag: Some(tag("t")),
        ..with_text("e.example")
    };
    assert_eq!(found(store_, &tagged).await, ["a", "c"]);
    let none = LinkFilter {
        tag: Some(tag("t")),
        status: StatusFilter::Only(LinkStatus::Expired),
        ..everywhere()
    };
    assert_eq!(found(store_, &none).await, Vec::<String>::new());
    assert_eq!(found(store_, &everywhere()).await, ["a", "b", "c"]);
}

pub(super) async fn a_changed_link_is_found_by_its_new_text_only(store_: &impl LinkStore) {
    let old = link("docs").comment("before").tags(&["early"]).build();
    store(store_, &old).await;
    let mut new = link("docs").comment("after").tags(&["late"]).build();
    new.revision = old.revision.next();
    store_
        .update(&new, &Version::of(&old), &NOTE)
        .await
        .expect("update");
    assert_eq!(
        found(store_, &with_text("before")).await,
        Vec::<String>::new()
    );
    assert_eq!(
        found(store_, &with_text("early")).await,
        Vec::<String>::new()
    );
    assert_eq!(found(store_, &with_text("after")).await, ["docs"]);
    assert_eq!(found(store_, &with_text("late")).await, ["docs"]);
    store_.delete(&new.key, &NOTE).await.expect("delete");
    assert_eq!(
        found(store_, &with_text("after")).await,
        Vec::<String>::new()
    );
}
