//! Changing and deleting links.

use std::{pin::Pin, sync::Arc};

use slugline_domain::{
    Link, Reach,
    ports::{Deletion, LinkStore, Update, Version},
};

use super::shorthand::{is_there, store, update};
use crate::{DeleteByKey, NOTE, full_link, join_all::join_all, key, link, seconds, with};

pub(super) async fn an_update_replaces_everything_but_the_identity(store_: &impl LinkStore) {
    let old = full_link("docs");
    store(store_, &old).await;
    let new = link("docs").id("id-docs").to("https://example.org/");
    let mut new = new.tags(&["b", "c"]).build();
    new.updated_at = seconds(7);
    new.revision = old.revision.next();
    // The count is not the author's.
    new.visits_used = old.visits_used;
    let outcome = update(store_, &new, &Version::of(&old)).await;
    assert_eq!(outcome, Update::Stored);
    assert_eq!(store_.find(&new.key).await.expect("find"), Some(new));
}

pub(super) async fn an_update_of_an_outdated_version_changes_nothing(store_: &impl LinkStore) {
    let before = link("docs").tags(&["a"]).build();
    store(store_, &before).await;
    let mut changed = link("docs").to("https://example.org/").tags(&["z"]).build();
    changed.revision = before.revision.next();
    let older = with(Version::of(&before), |it| it.revision = changed.revision);
    let replaced = with(Version::of(&before), |it| it.id = link("x").build().id);
    for known in [older, replaced] {
        let outcome = update(store_, &changed, &known).await;
        assert_eq!(outcome, Update::Outdated, "{known:?}");
    }
    assert_eq!(store_.find(&before.key).await.expect("find"), Some(before));
    let nowhere = link("nowhere").build();
    let outcome = update(store_, &nowhere, &Version::of(&nowhere)).await;
    assert_eq!(outcome, Update::Outdated);
    assert_eq!(store_.find(&nowhere.key).await.expect("find"), None);
}

pub(super) async fn of_many_concurrent_updates_one_wins<S: LinkStore>(store_: Arc<S>) {
    let before = link("race").build();
    store(store_.as_ref(), &before).await;
    let known = Version::of(&before);
    let versions: Vec<Link> = (1..=8)
        .map(|i| {
            let mut version = link("race").to(&format!("https://example.com/{i}")).build();
            version.revision = before.revision.next();
            version
        })
        .collect();
    let updates = versions
        .iter()
        .map(|link| store_.update(link, &known, &NOTE));
    let outcomes = join_all(updates.collect()).await;
    let winners: Vec<usize> = (0..outcomes.len())
        .filter(|i| *outcomes[*i].as_ref().expect("update") == Update::Stored)
        .collect();
    assert_eq!(winners.len(), 1, "{outcomes:?}");
    is_there(&*store_, &versions[winners[0]]).await;
}

pub(super) async fn a_deleted_link_is_gone_with_its_tags(store_: &impl LinkStore) {
    let unsorted = link("docs").tags(&["x", "b"]).build();
    let link = link("docs").tags(&["b", "x"]).build();
    store(store_, &unsorted).await;
    let deleted = store_.delete(&link.key, &NOTE).await.expect("delete");
    assert_eq!(deleted, Some(link.clone()));
    assert_eq!(store_.delete(&link.key, &NOTE).await.expect("delete"), None);
    assert_eq!(store_.find(&link.key).await.expect("find"), None);
    store(store_, &link).await;
    assert_eq!(store_.find(&link.key).await.expect("find"), Some(link));
}

pub(super) async fn only_the_known_version_of_a_link_is_deleted(store_: &impl LinkStore) {
    let before = link("docs").tags(&["x"]).build();
    store(store_, &before).await;
    let known = Version::of(&before);
    let other_versions = [
        with(known.clone(), |it| it.revision = before.revision.next()),
        with(known.clone(), |it| it.id = link("x").build().id),
    ];
    for other in other_versions {
        let outcome = store_.delete_version(&before.key, &other, &NOTE).await;
        assert_eq!(outcome.expect("delete"), Deletion::Outdated, "{other:?}");
    }
    let elsewhere = store_.delete_version(&key("Docs"), &known, &NOTE).await;
    assert_eq!(elsewhere.expect("delete"), Deletion::Outdated);
    is_there(store_, &before).await;
    for expected in [Deletion::Deleted, Deletion::Outdated] {
        let outcome = store_.delete_version(&before.key, &known, &NOTE).await;
        assert_eq!(outcome.expect("delete"), expected);
    }
    assert_eq!(store_.find(&before.key).await.expect("find"), None);
    let tags = store_.tags(&Reach::Everything, None).await.expect("tags");
    assert_eq!(tags, []);
}

type Attempt<'a> = Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

pub(super) async fn of_a_deletion_and_an_update_of_one_version_one_wins<S: LinkStore>(
    store_: Arc<S>,
) {
    for round in 0..8 {
        let name = format!("race-{round}");
        let before = link(&name).build();
        store(store_.as_ref(), &before).await;
        let known = Version::of(&before);
        let mut changed = link(&name).to("https://example.org/").build();
        changed.revision = before.revision.next();
        let delete = async {
            let outcome = store_.delete_version(&before.key, &known, &NOTE).await;
            outcome.expect("delete") == Deletion::Deleted
        };
        let update = async {
            let outcome = store_.update(&changed, &known, &NOTE).await;
            outcome.expect("update") == Update::Stored
        };
        let mut attempts: Vec<Attempt<'_>> = vec![Box::pin(delete), Box::pin(update)];
        if round % 2 == 1 {
            attempts.reverse();
        }
        let mut won = join_all(attempts).await;
        if round % 2 == 1 {
            won.reverse();
        }
        assert_ne!(won[0], won[1], "round {round}");
        let found = store_.find(&before.key).await.expect("find");
        assert_eq!(found, won[1].then_some(changed));
    }
}
