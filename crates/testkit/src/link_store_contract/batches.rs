//! Inserting many links in one transaction.

use std::sync::Arc;

use slugline_domain::{
    Link, LinkFilter, LinkOrder, Reach, SearchText,
    ports::{Insertion, LinkStore},
};

use super::shorthand::{everything, everywhere, store, store_all};
use crate::{ALL, NOON, NOTE, join_all::join_all, link, with};

pub(super) async fn many_links_are_inserted_as_if_one_after_the_other(store_: &impl LinkStore) {
    let active = link("active").build();
    let expired = link("expired").expires(-1).tags(&["old"]).build();
    let kept = link("kept").expires(-1).tags(&["old"]).build();
    for stored in [&active, &expired, &kept] {
        store(store_, stored).await;
    }
    let freed = expired.id.as_str();
    let batch = [
        (link("new").tags(&["b", "a"]).build(), Insertion::Stored),
        (link("active").id("x1").build(), Insertion::SlugTaken),
        (
            link("expired").id("x2").tags(&["c"]).build(),
            Insertion::Stored,
        ),
        (link("new").id("x3").build(), Insertion::SlugTaken),
        (
            link("past").id("x4").expires(-1).tags(&["p"]).build(),
            Insertion::Stored,
        ),
        (link("past").id("x5").build(), Insertion::Stored),
        (
            link("kept").id(active.id.as_str()).build(),
            Insertion::IdTaken,
        ),
        (link("other").id("id-new").build(), Insertion::IdTaken),
        (link("heir").id(freed).build(), Insertion::Stored),
        (link("Active").id("x6").build(), Insertion::Stored),
    ];
    let (links, expected): (Vec<Link>, Vec<Insertion>) = batch.into_iter().unzip();
    let outcomes = store_all(store_, &links).await;
    assert_eq!(outcomes, expected);

    let all = with(everything(), |it| it.order = LinkOrder::SlugAscending);
    let listed = store_.list(&all).await.expect("list");
    let sorted = |mut link: Link| {
        link.content.tags = link.content.tags.sorted();
        link
    };
    let expected = [
        links[9].clone(),
        active,
        links[2].clone(),
        links[8].clone(),
        kept,
        sorted(links[0].clone()),
        links[5].clone(),
    ];
    assert_eq!(listed, expected);
    let tags = store_.tags(&Reach::Everything, None).await.expect("tags");
    let names: Vec<&str> = tags.iter().map(|count| count.tag.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "old"]);
    let found = LinkFilter {
        text: Some(SearchText::parse("heir").expect("short")),
        ..everywhere()
    };
    assert_eq!(store_.count(&found, NOON).await.expect("count"), 1);
}

pub(super) async fn a_batch_may_be_large_or_empty(store_: &impl LinkStore) {
    assert_eq!(store_all(store_, &[]).await, []);
    let links: Vec<Link> = (0..1_200)
        .map(|i| {
            link(&format!("s{i}"))
                .tags(&["a", "b", "c", "d", "e", "f", "g", "h", "i"])
                .build()
        })
        .collect();
    for expected in [Insertion::Stored, Insertion::SlugTaken] {
        let outcomes = store_all(store_, &links).await;
        assert_eq!(outcomes, vec![expected; links.len()]);
    }
    for count in store_.tags(&Reach::Everything, None).await.expect("tags") {
        assert_eq!(count.links, 1_200, "{}", count.tag);
    }
}

pub(super) async fn of_concurrent_batches_each_slug_has_one_winner<S: LinkStore>(store_: Arc<S>) {
    store(store_.as_ref(), &link("s7").id("old").expires(-1).build()).await;
    let batch = |writer: usize| {
        let mut links: Vec<Link> = (0..50)
            .map(|i| link(&format!("s{i}")).id(&format!("w{writer}-{i}")).build())
            .collect();
        links.rotate_left(writer * 10);
        links
    };
    let batches: Vec<Vec<Link>> = (0..4).map(batch).collect();
    let attempts: Vec<_> = batches
        .iter()
        .map(|links| store_.insert_many(&ALL, links, &NOTE))
        .collect();
    let outcomes = join_all(attempts).await.into_iter();
    let winners = outcomes
        .flat_map(|outcomes| outcomes.expect("insert"))
        .filter(|outcome| *outcome == Insertion::Stored)
        .count();
    assert_eq!(winners, 50);
    assert_eq!(store_.count(&everywhere(), NOON).await.expect("count"), 50);
}
