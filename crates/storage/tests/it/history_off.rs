//! Switching the history off.

use slugline_domain::{
    Keeping,
    history::LinkHistory,
    ports::{LinkStore, Version},
};
use slugline_storage::SqlLinkStore;
use slugline_testkit::{ALL, NOON, NOTE, link, with};

use crate::{on_postgres, on_sqlite};

async fn forgets_in_pieces(store: SqlLinkStore) {
    for slug in ["one", "two", "three"] {
        let first = link(slug).build();
        store.insert(&ALL, &first, &NOTE).await.unwrap();
        let second = with(first.clone(), |it| it.revision = first.revision.next());
        store
            .update(&second, &Version::of(&first), &NOTE)
            .await
            .unwrap();
    }
    let off = store.keeping(Keeping::NOTHING);
    for removed in [2, 1, 0] {
        assert_eq!(off.remove_old(NOON.start(), 2).await.unwrap(), removed);
    }
    let one = link("one").build();
    let versions = off.versions(&one.id).await.unwrap();
    assert!(versions.current.is_some());
    assert_eq!(versions.former, []);
}

#[tokio::test]
async fn what_was_kept_is_removed_once_nothing_is_kept() {
    let (_folder, on_a_file) = on_sqlite::store().await;
    forgets_in_pieces(on_a_file).await;
    forgets_in_pieces(on_postgres::store("history_off").await.0).await;
}
