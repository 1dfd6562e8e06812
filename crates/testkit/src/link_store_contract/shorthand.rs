//! Stores and lists in few words.

use slugline_domain::{
    Link, LinkFilter, LinkOrder, ListQuery, StatusFilter,
    ports::{Insertion, LinkStore},
};

use crate::{ALL, NOON, NOTE};

pub(super) async fn store(store: &impl LinkStore, link: &Link) {
    assert_eq!(
        store.insert(&ALL, link, &NOTE).await.expect("insert"),
        Insertion::Stored,
        "{}",
        link.key
    );
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
    ListQuery {
        filter,
        ..everything()
    }
}

pub(super) fn everywhere() -> LinkFilter {
    LinkFilter {
        status: StatusFilter::All,
        ..LinkFilter::default()
    }
}

pub(super) async fn keys(store: &impl LinkStore, query: ListQuery) -> Vec<String> {
    let links = store.list(&query).await.expect("list");
    links.into_iter().map(|link| link.key.to_string()).collect()
}
