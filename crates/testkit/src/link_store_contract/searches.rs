//! Searching and counting links.

use slugline_domain::{
    LinkFilter, LinkStatus, SearchText, StatusFilter,
    ports::{LinkStore, Version},
};

use super::shorthand::{everywhere, store, update};
use crate::{DeleteByKey, NOON, NOTE, destination, full_link, link, tag, with};

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
    assert_eq!(u64::try_from(links.len()), Ok(count), "{filter:?}");
    links.into_iter().map(|link| link.key.to_string()).collect()
}

pub(super) async fn searches_find_text_anywhere_in_any_case_and_form(store_: &impl LinkStore) {
    for made in [
        link("Alpha").to("https://news.example/Path?q=1"),
        link("beta").comment("Über 50%_x! alles").tags(&["grün"]),
        link("gamma").tags(&["alphabet"]),
        link("delta")
            .comment("Straße ΟΔΟΣ 한글 Cafe\u{301} FIN")
            .to("https://news.test/"),
    ] {
        store(store_, &made.build()).await;
    }
    for (text, slugs) in [
        ("alpha", vec!["Alpha", "gamma"]),
        ("ALPHA", vec!["Alpha", "gamma"]),
        ("news.example/path?Q=1", vec!["Alpha"]),
        ("über", vec!["beta"]),
        ("GRÜN", vec!["beta"]),
        ("GRU\u{308}N", vec!["beta"]),
        ("STRASSE", vec!["delta"]),
        ("οδοσ", vec!["delta"]),
        ("ΔΟΣ", vec!["delta"]),
        ("\u{1112}\u{1161}\u{11ab}글", vec!["delta"]),
        ("caf\u{e9}", vec!["delta"]),
        ("CAFE\u{301}", vec!["delta"]),
        ("ﬁn", vec!["delta"]),
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
    let first = store_.search(&with_text("example"), NOON, 2).await;
    assert_eq!(first.expect("search").len(), 2);
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
    for (made, to) in [
        (link("a").tags(&["t"]), "https://e.example/x?utm=1#top"),
        (link("b").expires(-1), "https://e.example/x?utm=2#top"),
        (link("c").tags(&["t"]), "https://e.example/x"),
    ] {
        store(store_, &made.to(to).build()).await;
    }
    let to = |url: &str| with(everywhere(), |it| it.destination = Some(destination(url)));
    let with_top = found(store_, &to("https://e.example/x#top")).await;
    assert_eq!(with_top, ["a", "b"]);
    assert_eq!(found(store_, &to("https://e.example/x?other")).await, ["c"]);
    assert_eq!(found(store_, &to("https://e.example/X")).await, [""; 0]);
    let active = LinkFilter {
        status: StatusFilter::Current,
        ..to("https://e.example/x#top")
    };
    assert_eq!(found(store_, &active).await, ["a"]);
    let tagged = with(with_text("e.example"), |it| it.tag = Some(tag("t")));
    assert_eq!(found(store_, &tagged).await, ["a", "c"]);
    let none = LinkFilter {
        tag: Some(tag("t")),
        status: StatusFilter::Only(LinkStatus::Expired),
        ..everywhere()
    };
    assert_eq!(found(store_, &none).await, [""; 0]);
    assert_eq!(found(store_, &everywhere()).await, ["a", "b", "c"]);
}

pub(super) async fn a_changed_link_is_found_by_its_new_text_only(store_: &impl LinkStore) {
    let old = link("docs").comment("before").tags(&["early"]).build();
    store(store_, &old).await;
    let mut new = link("docs").comment("after").tags(&["late"]).build();
    new.revision = old.revision.next();
    update(store_, &new, &Version::of(&old)).await;
    for (text, expected) in [
        ("before", &[][..]),
        ("early", &[]),
        ("after", &["docs"]),
        ("late", &["docs"]),
    ] {
        assert_eq!(found(store_, &with_text(text)).await, expected, "{text}");
    }
    store_.delete(&new.key, &NOTE).await.expect("delete");
    assert_eq!(found(store_, &with_text("after")).await, [""; 0]);
}
