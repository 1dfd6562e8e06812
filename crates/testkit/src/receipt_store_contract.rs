//! The contract of every [`ReceiptStore`] that is a store of links, too.

use std::sync::Arc;

use slugline_domain::{
    AuditNote, KeptAnswer, LinkFilter, Receipt, RequestClaim, UnixMillis,
    ports::{AuditTrail, Insertion, LinkStore, ReceiptStore, StoreError, Version},
};

use crate::{ALL, NOON, NOTE, join_all::join_all, key, link, newest_lines, seconds, with};

/// Runs every clause, each on its own store.
///
/// # Panics
/// A clause is violated.
pub async fn run_suite<S>(empty_store: impl AsyncFn() -> S)
where
    S: LinkStore + AuditTrail + ReceiptStore + 'static,
{
    an_answer_is_kept_with_its_change(&empty_store().await).await;
    a_change_under_a_used_key_changes_nothing(&empty_store().await).await;
    what_stores_no_link_leaves_no_answer_unless_it_is_a_batch(&empty_store().await).await;
    of_many_requests_with_one_key_one_makes_its_change(&Arc::new(empty_store().await)).await;
    who_is_overtaken_finds_the_answer(&Arc::new(empty_store().await)).await;
    a_key_is_taken_by_one_request_and_answered_once(&empty_store().await).await;
    a_key_that_was_taken_is_free_when_its_time_is_over(&empty_store().await).await;
    keys_that_are_free_are_removed(&empty_store().await).await;
}

fn claim(caller: &str, key: &str) -> RequestClaim {
    RequestClaim {
        caller: caller.to_owned(),
        key: key.parse().expect("a key"),
        fingerprint: [7; 32],
        at: NOON.start(),
    }
}

fn answer(body: &str) -> KeptAnswer {
    KeptAnswer {
        status: 201,
        entity_tag: Some("\"1\"".to_owned()),
        body: body.to_owned(),
    }
}

/// A note that leaves the outcomes as its answer.
fn noted(claim: RequestClaim) -> AuditNote {
    AuditNote {
        receipt: Some(Receipt::new(claim, |outcomes| {
            answer(&format!("{outcomes:?}"))
        })),
        ..NOTE.clone()
    }
}

async fn kept(store: &impl ReceiptStore, claim: &RequestClaim) -> Option<KeptAnswer> {
    let found = store.kept(&claim.caller, &claim.key, claim.at).await;
    let found = found.expect("the store answers")?;
    assert_eq!(found.fingerprint, claim.fingerprint);
    found.answer
}

async fn an_answer_is_kept_with_its_change<S: LinkStore + ReceiptStore>(store: &S) {
    let claim_ = claim("site", "k");
    assert_eq!(kept(store, &claim_).await, None);
    let note = noted(claim_.clone());
    let stored = store.insert(&ALL, &link("a").build(), &note).await;
    assert_eq!(stored.expect("insert"), Insertion::Stored);
    assert_eq!(kept(store, &claim_).await, Some(answer("[Stored]")));
    assert_eq!(kept(store, &claim("other", "k")).await, None);
    assert_eq!(kept(store, &claim("site", "K")).await, None);
    let late = claim_.kept_until();
    let found = store.kept("site", &claim_.key, late).await;
    assert_eq!(found.expect("the store answers"), None);
    let again = RequestClaim { at: late, ..claim_ };
    let stored = store
        .insert(&ALL, &link("b").build(), &noted(again.clone()))
        .await;
    assert_eq!(stored.expect("the key is free again"), Insertion::Stored);
    assert!(kept(store, &again).await.is_some());
}

async fn a_change_under_a_used_key_changes_nothing<S>(store: &S)
where
    S: LinkStore + AuditTrail + ReceiptStore,
{
    let note = noted(claim("site", "k"));
    let first = link("a").build();
    store.insert(&ALL, &first, &note).await.expect("insert");
    let mut changed = first.clone();
    changed.revision = first.revision.next();
    let known = Version::of(&first);
    let (b, c) = (link("b").build(), link("c").build());
    let refusals = [
        store.insert(&ALL, &b, &note).await.map(drop),
        store.insert_many(&ALL, &[b, c], &note).await.map(drop),
        store.update(&changed, &known, &note).await.map(drop),
    ];
    for refused in refusals {
        assert!(matches!(refused, Err(StoreError::KeyInUse)), "{refused:?}");
    }
    for text in ["b", "c"] {
        assert_eq!(store.find(&key(text)).await.expect("find"), None);
    }
    let found = store.find(&key("a")).await.expect("find");
    assert_eq!(found, Some(first));
    let lines = store.lines(&newest_lines(9)).await;
    assert_eq!(lines.expect("lines").len(), 1);
}

async fn what_stores_no_link_leaves_no_answer_unless_it_is_a_batch<S>(store: &S)
where
    S: LinkStore + ReceiptStore,
{
    store
        .insert(&ALL, &link("a").build(), &NOTE)
        .await
        .expect("insert");
    let alone = claim("site", "alone");
    let taken = link("a").id("other").build();
    let outcome = store.insert(&ALL, &taken, &noted(alone.clone())).await;
    assert_eq!(outcome.expect("insert"), Insertion::SlugTaken);
    assert_eq!(kept(store, &alone).await, None);
    let batch = claim("site", "batch");
    let note = noted(batch.clone());
    let outcomes = store
        .insert_many(&ALL, &[taken, link("b").build()], &note)
        .await;
    outcomes.expect("insert");
    let said = Some(answer("[SlugTaken, Stored]"));
    assert_eq!(kept(store, &batch).await, said);
}

async fn of_many_requests_with_one_key_one_makes_its_change<S>(store: &Arc<S>)
where
    S: LinkStore + ReceiptStore + 'static,
{
    let inserts = (0..8).map(|number| {
        let store = Arc::clone(store);
        async move {
            let link = link(&format!("l{number}")).build();
            store.insert(&ALL, &link, &noted(claim("site", "k"))).await
        }
    });
    let outcomes = join_all(inserts.collect()).await;
    let stored = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    let refused = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Err(StoreError::KeyInUse)))
        .count();
    assert_eq!((stored, refused), (1, 7), "{outcomes:?}");
    let links = store.count(&LinkFilter::default(), NOON).await;
    assert_eq!(links.expect("count"), 1);
}

/// A store may find that the first request has the slug before it finds that it has the key.
async fn who_is_overtaken_finds_the_answer<S>(store: &Arc<S>)
where
    S: LinkStore + ReceiptStore + 'static,
{
    let inserts = (0..8).map(|number| {
        let store = Arc::clone(store);
        async move {
            let claim = claim("site", "k");
            let link = link("docs").id(&format!("l{number}")).build();
            match store.insert(&ALL, &link, &noted(claim.clone())).await {
                Ok(Insertion::Stored) => true,
                Ok(Insertion::SlugTaken) | Err(StoreError::KeyInUse) => {
                    assert!(kept(&*store, &claim).await.is_some());
                    false
                }
                other => panic!("{other:?}"),
            }
        }
    });
    let stored = join_all(inserts.collect()).await;
    assert_eq!(stored.iter().filter(|stored| **stored).count(), 1);
}

async fn a_key_is_taken_by_one_request_and_answered_once(store: &impl ReceiptStore) {
    let claim = claim("site", "k");
    let until = seconds(60).start();
    assert!(store.take(&claim, until).await.expect("take"));
    assert!(!store.take(&claim, seconds(90).start()).await.expect("take"));
    let found = store.kept("site", &claim.key, claim.at).await;
    let found = found.expect("find").expect("it runs");
    assert_eq!((found.answer, found.until), (None, until));
    let strange = store
        .keep(&claim, &answer("x"), Some(seconds(61).start()))
        .await;
    assert!(!strange.expect("keep"), "another request has it");
    assert!(!store.keep(&claim, &answer("x"), None).await.expect("keep"));
    let own = store.keep(&claim, &answer("y"), Some(until)).await;
    assert!(own.expect("keep"));
    assert_eq!(kept(store, &claim).await, Some(answer("y")));
    let again = store.keep(&claim, &answer("z"), Some(until)).await;
    assert!(!again.expect("keep"));
    store.release(&claim, until).await.expect("release");
    assert_eq!(kept(store, &claim).await, Some(answer("y")));
}

async fn a_key_that_was_taken_is_free_when_its_time_is_over(store: &impl ReceiptStore) {
    let first = claim("site", "k");
    let until = seconds(60).start();
    assert!(store.take(&first, until).await.expect("take"));
    let late = with(first.clone(), |it| it.at = until);
    assert!(store.take(&late, seconds(120).start()).await.expect("take"));
    let overtaken = store.keep(&first, &answer("x"), Some(until)).await;
    assert!(!overtaken.expect("keep"));
    store.release(&first, until).await.expect("release");
    let found = store.kept("site", &late.key, late.at).await;
    assert!(found.expect("find").is_some(), "another request runs");
    let own = seconds(120).start();
    store.release(&late, own).await.expect("release");
    assert!(store.take(&late, own).await.expect("take"));
}

async fn keys_that_are_free_are_removed(store: &impl ReceiptStore) {
    for number in 0..5 {
        let mut claim = claim("site", &format!("k{number}"));
        claim.at = seconds(number).start();
        assert!(store.keep(&claim, &answer("x"), None).await.expect("keep"));
    }
    let moment = UnixMillis::new(claim("", "k").kept_until().get() + 3_000);
    let removed = async |limit| store.remove_free(moment, limit).await.expect("remove");
    assert_eq!(removed(3).await, 3);
    assert_eq!(removed(3).await, 1);
    assert_eq!(removed(3).await, 0);
    let last = claim("site", "k4");
    let found = store.kept("site", &last.key, moment).await;
    assert!(found.expect("find").is_some());
}
