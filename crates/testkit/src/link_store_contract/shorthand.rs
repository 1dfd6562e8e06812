//! Stores and lists in few words.

use slugline_domain::{
    Link, LinkFilter, LinkOrder, ListQuery, StatusFilter,
    ports::{Insertion, LinkStore, Update, Version},
};

use crate::{ALL, NOON, NOTE, with};

pub(super) async fn store(store: &impl LinkStore, link: &Link) {
    let inserted = store.insert(&ALL, link, &NOTE).await.expect("insert");
    assert_eq!(inserted, Insertion::Stored, "{}", link.key);
}

pub(super) async fn store_all(store: &impl LinkStore, links: &[Link]) -> Vec<Insertion> {
    let inserted = store.insert_many(&ALL, links, &NOTE).await;
    inserted.expect("insert")
}

pub(super) async fn update(store: &impl LinkStore, new: &Link, known: &Version) -> Update {
    store.update(new, known, &NOTE).await.expect("update")
}

/// Checks that a link is found as it is here.
pub(super) async fn is_there(store: &impl LinkStore, link: &Link) {
    let found = store.find(&link.key).await.expect("find");
    assert_eq!(found.as_ref(), Some(link));
}

pub(super) fn everything() -> ListQuery {
    ListQuery {
        now: NOON,
        order: LinkOrder::Newest,
        filter: everywhere(),
        after: None,
        limit: 100,
    }
}

pub(super) fn all_that(filter: LinkFilter) -> ListQuery {
    with(everything(), |it| it.filter = filter)
}

pub(super) fn everywhere() -> LinkFilter {
    with(LinkFilter::default(), |it| it.status = StatusFilter::All)
}

pub(super) async fn keys(store: &impl LinkStore, query: ListQuery) -> Vec<String> {
    let links = store.list(&query).await.expect("list");
    links.into_iter().map(|link| link.key.to_string()).collect()
}
