//! Links of requests that may come again.

use std::sync::Arc;

use slugline_domain::{
    Link, LinkFilter, RequestDigests,
    ports::{Insertion, LinkStore, Version},
};

use super::shorthand::{is_there, store};
use crate::{ALL, NOON, NOTE, join_all::join_all, key, link, with};

/// A link that a request under this key made.
fn made(text: &str, key: u8) -> Link {
    let (key, asked) = ([key; 32], [0xab; 32]);
    with(link(text).build(), |it| {
        it.request = Some(RequestDigests { key, asked });
    })
}

pub(super) async fn a_link_keeps_the_digests_of_its_request(store_: &impl LinkStore) {
    let first = made("docs", 1);
    store(store_, &first).await;
    is_there(store_, &first).await;
    let next = with(first.clone(), |it| it.revision = first.revision.next());
    let updated = store_.update(&next, &Version::of(&first), &NOTE).await;
    updated.expect("update");
    is_there(store_, &next).await;
    let followed = store_.follow(&next.key).await.expect("follow");
    assert_eq!(followed, Some((&next).into()));
}

pub(super) async fn a_request_makes_one_link(store_: &impl LinkStore) {
    let first = made("docs", 1);
    store(store_, &first).await;
    store(store_, &made("other", 2)).await;
    for again in [
        made("new", 1),
        with(made("other", 1), |it| it.id = first.id.clone()),
    ] {
        let outcome = store_.insert(&ALL, &again, &NOTE).await;
        assert_eq!(outcome.expect("insert"), Insertion::Repeated);
        let batch = [again, made("beside", 3)];
        let outcomes = store_.insert_many(&ALL, &batch, &NOTE).await;
        assert_eq!(outcomes.expect("insert")[0], Insertion::Repeated);
    }
    assert_eq!(store_.find(&key("new")).await.expect("find"), None);
    is_there(store_, &first).await;
    is_there(store_, &made("beside", 3)).await;
}

pub(super) async fn of_one_request_that_comes_many_times_at_once_one_makes_a_link<S: LinkStore>(
    store_: Arc<S>,
) {
    let links: Vec<Link> = (0..8).map(|i| made(&format!("l{i}"), 1)).collect();
    let alone = links.iter().map(|link| store_.insert(&ALL, link, &NOTE));
    let outcomes = join_all(alone.collect()).await;
    one_won(outcomes.into_iter().map(|outcome| outcome.expect("insert")));
    let links = (0..8).map(|i| [made(&format!("b{i}"), 2), link(&format!("c{i}")).build()]);
    let links: Vec<[Link; 2]> = links.collect();
    let lists = links
        .iter()
        .map(|links| store_.insert_many(&ALL, links, &NOTE));
    let outcomes = join_all(lists.collect()).await;
    one_won(outcomes.into_iter().map(|outcomes| {
        let outcomes = outcomes.expect("insert");
        assert_eq!(outcomes[1], Insertion::Stored);
        outcomes[0]
    }));
    let count = store_.count(&LinkFilter::default(), NOON).await;
    assert_eq!(count.expect("count"), 10);
}

fn one_won(outcomes: impl Iterator<Item = Insertion>) {
    let outcomes: Vec<Insertion> = outcomes.collect();
    let of = |kind| outcomes.iter().filter(|outcome| **outcome == kind).count();
    let counts = (of(Insertion::Stored), of(Insertion::Repeated));
    assert_eq!(counts, (1, 7), "{outcomes:?}");
}
