//! Inserting one link, and finding it.

use std::sync::Arc;

use slugline_domain::{
    Binding, Link, LinkStatus, Reach, StatusFilter,
    ports::{Insertion, LinkStore},
};

use super::shorthand::{all_that, everything, everywhere, is_there, keys, store};
use crate::{ALL, DeleteByKey, NOON, NOTE, full_link, join_all::join_all, key, link, tag, with};

pub(super) async fn a_stored_link_is_found_unchanged_with_its_tags_sorted(store_: &impl LinkStore) {
    let mut full = full_link("Full-1");
    let plain = link("plain").build();
    store(store_, &full).await;
    store(store_, &plain).await;

    full.content.tags = full.content.tags.sorted();
    for stored in [&full, &plain] {
        let followed = store_.follow(&stored.key).await.expect("follow");
        assert_eq!(followed, Some(stored.into()));
    }
    assert_eq!(store_.find(&full.key).await.expect("find"), Some(full));
    assert_eq!(store_.find(&plain.key).await.expect("find"), Some(plain));
}

pub(super) async fn an_unknown_slug_is_absent_not_an_error(store_: &impl LinkStore) {
    assert_eq!(store_.find(&key("nowhere")).await.expect("find"), None);
    assert_eq!(store_.follow(&key("nowhere")).await.expect("follow"), None);
    let deleted = store_.delete(&key("nowhere"), &NOTE).await.expect("delete");
    assert_eq!(deleted, None);
    assert_eq!(keys(store_, everything()).await, [""; 0]);
}

pub(super) async fn spelling_matters(store_: &impl LinkStore) {
    store(store_, &link("Docs").id("upper").build()).await;
    store(store_, &link("docs").id("lower").build()).await;
    is_there(store_, &link("Docs").id("upper").build()).await;
    assert_eq!(store_.find(&key("DOCS")).await.expect("find"), None);
}

pub(super) async fn an_active_link_keeps_its_slug(store_: &impl LinkStore) {
    let first = link("docs").id("first").expires(1).build();
    store(store_, &first).await;
    let second = link("docs").id("second").build();
    let outcome = store_.insert(&ALL, &second, &NOTE).await.expect("insert");
    assert_eq!(outcome, Insertion::SlugTaken);
    assert_eq!(store_.find(&first.key).await.expect("find"), Some(first));
}

pub(super) async fn an_expired_link_gives_up_its_slug_and_its_tags(store_: &impl LinkStore) {
    let old = link("docs").id("old").tags(&["old"]).expires(0).build();
    store(store_, &old).await;
    let new = link("docs").id("new").tags(&["new"]).build();
    store(store_, &new).await;
    assert_eq!(store_.find(&new.key).await.expect("find"), Some(new));
    let by_old_tag = all_that(with(everywhere(), |it| it.tag = Some(tag("old"))));
    assert_eq!(keys(store_, by_old_tag).await, [""; 0]);
}

pub(super) async fn a_link_that_the_instance_ended_is_expired(store_: &impl LinkStore) {
    let mut ended = link("docs").id("old").expires(99).build();
    ended.ends_at = Some(NOON);
    store(store_, &ended).await;
    let by = |status| all_that(with(everywhere(), |it| it.status = status));
    let expired = keys(store_, by(StatusFilter::Only(LinkStatus::Expired))).await;
    assert_eq!(expired, ["docs"]);
    assert_eq!(keys(store_, by(StatusFilter::Current)).await, [""; 0]);
    let new = link("docs").id("new").build();
    store(store_, &new).await;
    assert_eq!(store_.find(&new.key).await.expect("find"), Some(new));
}

pub(super) async fn an_id_belongs_to_one_link(store_: &impl LinkStore) {
    store(store_, &link("a").id("same").build()).await;
    let same = link("b").id("same").build();
    let outcome = store_.insert(&ALL, &same, &NOTE).await.expect("insert");
    assert_eq!(outcome, Insertion::IdTaken);
    assert_eq!(store_.find(&key("b")).await.expect("find"), None);
}

pub(super) async fn a_taken_slug_is_reported_before_a_taken_id(store_: &impl LinkStore) {
    let owner = link("docs").id("owner").build();
    let other = link("other").id("other").build();
    for link in [&owner, &other] {
        store(store_, link).await;
    }
    for id in ["owner", "other"] {
        let both_taken = link("docs").id(id).build();
        let outcome = store_.insert(&ALL, &both_taken, &NOTE).await;
        assert_eq!(outcome.expect("insert"), Insertion::SlugTaken, "{id}");
        let outcomes = store_.insert_many(&ALL, &[both_taken], &NOTE).await;
        assert_eq!(outcomes.expect("insert"), [Insertion::SlugTaken], "{id}");
    }
}

pub(super) async fn a_link_that_gives_way_keeps_its_slug_if_the_id_is_taken(
    store_: &impl LinkStore,
) {
    let expired = link("docs").id("old").expires(0).build();
    let other = link("other").id("other").build();
    for link in [&expired, &other] {
        store(store_, link).await;
    }
    let refused = link("docs").id("other").build();
    let outcome = store_.insert(&ALL, &refused, &NOTE).await;
    assert_eq!(outcome.expect("insert"), Insertion::IdTaken);
    is_there(store_, &expired).await;
    // The identifier of the link that gives way is free.
    let heir = link("docs").id("old").build();
    store(store_, &heir).await;
    is_there(store_, &heir).await;
}

pub(super) async fn of_many_concurrent_inserts_one_wins<S: LinkStore>(store_: Arc<S>) {
    let racer = |i: i32| {
        link("race")
            .id(&format!("racer-{i}"))
            .tags(&[&format!("t{i}")])
    };
    let links: Vec<Link> = (0..8).map(|i| racer(i).build()).collect();
    let attempts = links.iter().map(|link| store_.insert(&ALL, link, &NOTE));
    let outcomes = join_all(attempts.collect()).await;
    let winners: Vec<usize> = (0..outcomes.len())
        .filter(|i| *outcomes[*i].as_ref().expect("insert") == Insertion::Stored)
        .collect();
    assert_eq!(winners.len(), 1, "{outcomes:?}");
    is_there(&*store_, &links[winners[0]]).await;
}

pub(super) async fn an_expired_link_gives_way_only_within_reach(store_: &impl LinkStore) {
    let inside = link("inside").id("inside").tags(&["a"]).expires(0).build();
    let named = link("named").id("named").expires(0).build();
    let outside = link("outside").id("outside").tags(&["b"]).expires(0);
    let outside = outside.build();
    for link in [&inside, &named, &outside] {
        store(store_, link).await;
    }
    let binding = Binding::new([named.id.clone()], [tag("a")], []).expect("a binding");
    let reach = Reach::bound(binding);
    let again = |text: &str, id: &str| link(text).id(id).tags(&["a"]).build();
    for (text, expected) in [
        ("inside", Insertion::Stored),
        ("named", Insertion::Stored),
        ("outside", Insertion::SlugTaken),
        ("new", Insertion::Stored),
    ] {
        let new = again(text, &format!("one-{text}"));
        let outcome = store_.insert(&reach, &new, &NOTE).await;
        assert_eq!(outcome.expect("insert"), expected, "{text}");
    }
    is_there(store_, &outside).await;
    let old = link("old").id("old").tags(&["a"]).expires(0).build();
    store(store_, &old).await;
    let batch = [
        again("outside", "many-1"),
        again("old", "many-2"),
        again("fresh", "many-3"),
    ];
    let outcomes = store_.insert_many(&reach, &batch, &NOTE).await;
    assert_eq!(
        outcomes.expect("insert"),
        [Insertion::SlugTaken, Insertion::Stored, Insertion::Stored]
    );
    is_there(store_, &outside).await;
}
