//! The contract of every [`OldStore`]. A back end calls [`run_suite`] with a
//! function that makes a store of texts. A violated clause panics with its
//! name.

use std::collections::{BTreeMap, BTreeSet};

use slugline_domain::{
    OldEntry, OldPage,
    ports::{OldStore, OldStoreError},
};

use crate::slug;

/// Runs every clause, each on its own store with the given keys and values.
///
/// # Panics
/// A clause is violated.
pub async fn run_suite<S: OldStore>(store_of: impl AsyncFn(Vec<(String, String)>) -> S) {
    pages_meet_every_entry(&store_of(many()).await).await;
    a_cursor_survives_until_it_is_asked_for(&store_of(many()).await).await;
    a_cursor_of_another_store_is_lost(&store_of(many()).await, &store_of(few()).await).await;
    broken_entries_are_named_and_stop_nothing(&store_of(few()).await).await;
    links_are_found_by_their_very_spelling(&store_of(few()).await).await;
    an_empty_store_has_one_empty_page(&store_of(Vec::new()).await).await;
}

fn value(number: u32) -> String {
    format!(r#"{{"url":"https://example.com/{number}","createdAt":{number}}}"#)
}

/// More links than fit a page, and as many entries that are not links.
fn many() -> Vec<(String, String)> {
    let links = (0..450).map(|number| (format!("link:l-{number}"), value(number)));
    let others = (0..450).map(|number| (format!("image:{number}"), "x".to_owned()));
    links.chain(others).collect()
}

fn few() -> Vec<(String, String)> {
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    vec![
        pair("link:Docs", &value(1)),
        pair("link:a b", &value(2)),
        pair("link:bad", "{"),
        pair("link:", &value(3)),
        pair("linked", &value(4)),
    ]
}

async fn pages(store: &impl OldStore) -> Vec<OldPage> {
    let mut pages: Vec<OldPage> = Vec::new();
    loop {
        let from = pages.last().and_then(|page| page.next.clone());
        let page = store.page(from.as_ref()).await.expect("a page");
        let ended = page.next.is_none();
        pages.push(page);
        if ended {
            return pages;
        }
    }
}

fn keys(pages: &[OldPage]) -> BTreeSet<&str> {
    let entries = pages.iter().flat_map(|page| &page.entries);
    entries.map(|entry| entry.key.as_str()).collect()
}

async fn pages_meet_every_entry(store: &impl OldStore) {
    let pages = pages(store).await;
    assert!(pages.len() > 2, "one page is too long: {}", pages.len());
    assert_eq!(keys(&pages).len(), 450);
    assert_eq!(pages.iter().map(|page| page.ignored).sum::<u64>(), 450);
    for OldEntry { key, link } in pages.iter().flat_map(|page| &page.entries) {
        let link = link.as_ref().expect("every entry is right");
        assert_eq!(key.as_str(), format!("link:{}", link.slug));
        let number = link.slug.as_str().strip_prefix("l-").expect("as planted");
        let created = link.created_at.expect("as planted").get();
        assert_eq!(created.to_string(), number);
    }
    store.ping().await.expect("it answers");
}

async fn a_cursor_survives_until_it_is_asked_for(store: &impl OldStore) {
    let first = store.page(None).await.expect("a page");
    let next = first.next.as_ref();
    let (once, again) = (store.page(next).await, store.page(next).await);
    let (once, again) = ([once.expect("a page")], [again.expect("a page")]);
    assert_eq!(keys(&once), keys(&again));
    assert!(keys(&once).is_disjoint(&keys(&[first])));
}

async fn a_cursor_of_another_store_is_lost(store: &impl OldStore, other: &impl OldStore) {
    let cursor = store.page(None).await.expect("a page").next;
    let lost = other.page(cursor.as_ref()).await;
    assert!(matches!(lost, Err(OldStoreError::CursorLost)), "{lost:?}");
}

async fn broken_entries_are_named_and_stop_nothing(store: &impl OldStore) {
    let pages = pages(store).await;
    let entries = pages.iter().flat_map(|page| &page.entries);
    let outcomes: BTreeMap<&str, bool> = entries
        .map(|entry| (entry.key.as_str(), entry.link.is_ok()))
        .collect();
    let expected = [
        ("link:Docs", true),
        ("link:a b", false),
        ("link:bad", false),
        ("link:", false),
    ];
    assert_eq!(outcomes, BTreeMap::from(expected));
    assert_eq!(pages.iter().map(|page| page.ignored).sum::<u64>(), 1);
}

async fn links_are_found_by_their_very_spelling(store: &impl OldStore) {
    let found = store.find(&slug("Docs")).await.expect("it answers");
    assert_eq!(found.map(|link| link.slug), Some(slug("Docs")));
    for absent in ["docs", "bad", "nothing"] {
        let found = store.find(&slug(absent)).await.expect("it answers");
        assert_eq!(found, None, "{absent}");
    }
}

async fn an_empty_store_has_one_empty_page(store: &impl OldStore) {
    let pages = pages(store).await;
    assert_eq!((pages.len(), keys(&pages).len()), (1, 0));
}
