//! Changing and deleting links.

use std::sync::Arc;

use slugline_domain::{
    Link,
    ports::{LinkStore, Update, Version},
};

use super::{join_all, store};
use crate::{full_link, link, seconds};

pub(super) async fn an_update_replaces_everything_but_the_identity(store_: &impl LinkStore) {
    let old = full_link("docs");
    store(store_, &old).await;
    let mut new = link("docs")
        .id("id-docs")
        .to("https://example.org/")
        .tags(&["b", "c"])
        .build();
    new.updated_at = seconds(7);
    new.revision = old.revision.next();
    let outcome = store_
        .update(&new, &Version::of(&old))
        .await
        .expect("update");
    assert_eq!(outcome, Update::Stored);
    assert_eq!(store_.find(&new.slug).await.expect("find"), Some(new));
}

pub(super) async fn an_update_of_an_outdated_version_changes_nothing(store_: &impl LinkStore) {
    let before = link("docs").tags(&["a"]).build();
    store(store_, &before).await;
    let mut changed = link("docs").to("https://example.org/").tags(&["z"]).build();
    changed.revision = before.revision.next();
    let older = Version {
        revision: changed.revision,
        ..Version::of(&before)
    };
    let changed_by_an_older_node = Version {
        updated_at: seconds(-1),
        ..Version::of(&before)
    };
    let replaced = Version {
        id: link("x").build().id,
        ..Version::of(&before)
    };
    for known in [older, changed_by_an_older_node, replaced] {
        let outcome = store_.update(&changed, &known).await.expect("update");
        assert_eq!(outcome, Update::Outdated, "{known:?}");
    }
    assert_eq!(store_.find(&before.slug).await.expect("find"), Some(before));
    let nowhere = link("nowhere").build();
    let outcome = store_
        .update(&nowhere, &Version::of(&nowhere))
        .await
        .expect("update");
    assert_eq!(outcome, Update::Outdated);
    assert_eq!(store_.find(&nowhere.slug).await.expect("find"), None);
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
    let outcomes = join_all(
        versions
            .iter()
            .map(|link| store_.update(link, &known))
            .collect(),
    )
    .await;
    let winners: Vec<usize> = (0..outcomes.len())
        .filter(|i| *outcomes[*i].as_ref().expect("update") == Update::Stored)
        .collect();
    assert_eq!(winners.len(), 1, "{outcomes:?}");
    let now = store_
        .find(&before.slug)
        .await
        .expect("find")
        .expect("it is there");
    assert_eq!(now, versions[winners[0]]);
}

pub(super) async fn a_deleted_link_is_gone_with_its_tags(store_: &impl LinkStore) {
    let link = link("docs").tags(&["x"]).build();
    store(store_, &link).await;
    assert_eq!(
        store_.delete(&link.slug).await.expect("delete"),
        Some(link.clone())
    );
    assert_eq!(store_.delete(&link.slug).await.expect("delete"), None);
    assert_eq!(store_.find(&link.slug).await.expect("find"), None);
    store(store_, &link).await;
    assert_eq!(store_.find(&link.slug).await.expect("find"), Some(link));
}
