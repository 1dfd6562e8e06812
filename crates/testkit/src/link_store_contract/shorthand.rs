//! Stores and lists in few words.

use slugline_domain::{
    Link, LinkFilter, ListQuery, StatusFilter,
    ports::{Insertion, LinkStore},
};

use crate::{NOON, NOTE};

pub(super) async fn store(store: &impl LinkStore, link: &Link) {
    assert_eq!(
        store.insert(link, &NOTE).await.expect("insert"),
        Insertion::Stored,
        "{}",
        link.key
    );
}

pub(super) fn everything() -> ListQuery {
    ListQuery::new(NOON, 100).with_filter(everywhere())
}

pub(super) fn all_that(filter: LinkFilter) -> ListQuery {
    everything().with_filter(filter)
}

pub(super) fn everywhere() -> LinkFilter {
    LinkFilter::default().with_status(StatusFilter::All)
}

pub(super) async fn keys(store: &impl LinkStore, query: ListQuery) -> Vec<String> {
    let links = store.list(&query).await.expect("list");
    links.into_iter().map(|link| link.key.to_string()).collect()
}
