use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use slugline_domain::{
    Revision, SlugCase,
    ports::{Deletion, Version},
};
use slugline_testkit::{
    ALL, DeleteByKey, FixedClock, LinkBuilder, MemoryLinkStore, NOON, NOTE, key, link, with,
};
use tokio::task::JoinHandle;

use super::*;

fn resolver(case: SlugCase) -> (Arc<Resolver>, Arc<MemoryLinkStore>, Arc<FixedClock>) {
    resolver_of(case, ResolverOptions::default())
}

fn resolver_of(
    case: SlugCase,
    options: ResolverOptions,
) -> (Arc<Resolver>, Arc<MemoryLinkStore>, Arc<FixedClock>) {
    let store = Arc::new(MemoryLinkStore::default());
    let clock = Arc::new(FixedClock::at(NOON));
    let domains = NamedDomains::new(case);
    let resolver = Resolver::new(store.clone(), clock.clone(), domains, options);
    (Arc::new(resolver), store, clock)
}

async fn put(store: &MemoryLinkStore, link: LinkBuilder) {
    store.insert(&ALL, &link.build(), &NOTE).await.unwrap();
}

async fn id_of(resolver: &Resolver, text: &str) -> Option<String> {
    let found = resolver.find(&key(text)).await.expect("the store works");
    found.map(|link| link.id().to_owned())
}

#[tokio::test]
async fn a_known_link_survives_the_loss_of_the_store_for_a_day() {
    let (resolver, store, clock) = resolver(SlugCase::Insensitive);
    put(&store, link("docs")).await;
    assert!(id_of(&resolver, "docs").await.is_some());
    store.break_down();
    assert!(id_of(&resolver, "DOCS").await.is_some());
    for _ in 0..24 {
        clock.advance_seconds(3_600);
        assert!(id_of(&resolver, "docs").await.is_some());
    }
    clock.advance_seconds(60);
    assert!(
        resolver.find(&key("docs")).await.is_err(),
        "a day after it would have been read again"
    );
    store.recover();
    clock.advance_seconds(1);
    assert!(id_of(&resolver, "docs").await.is_some());
}

#[tokio::test]
async fn a_stale_link_is_read_again_a_second_after_the_store_failed() {
    let (resolver, store, clock) = resolver(SlugCase::Insensitive);
    put(&store, link("docs")).await;
    assert!(id_of(&resolver, "docs").await.is_some());
    clock.advance_seconds(60);
    store.break_down();
    assert!(id_of(&resolver, "docs").await.is_some());
    store.recover();
    store.delete(&key("docs"), &NOTE).await.unwrap();
    assert!(id_of(&resolver, "docs").await.is_some());
    clock.advance_seconds(1);
    assert_eq!(id_of(&resolver, "docs").await, None);
}

#[tokio::test]
async fn a_counting_store_that_fails_leaves_the_link_as_it_was() {
    let (resolver, store, clock) = resolver(SlugCase::Insensitive);
    store.hear(Hearing::Counted(0));
    put(&store, link("docs")).await;
    assert!(id_of(&resolver, "docs").await.is_some());
    clock.advance_seconds(1_000_000);
    store.hear(Hearing::Counted(1));
    store.break_down();
    assert!(id_of(&resolver, "docs").await.is_some());
    clock.advance_seconds(24 * 3_600);
    assert!(resolver.find(&key("docs")).await.is_err());
}

#[tokio::test]
async fn a_slug_that_nobody_remembers_is_an_error_while_the_store_fails() {
    let (resolver, store, clock) = resolver(SlugCase::Insensitive);
    assert_eq!(id_of(&resolver, "docs").await, None);
    store.break_down();
    assert_eq!(id_of(&resolver, "docs").await, None, "it is remembered");
    clock.advance_seconds(5);
    assert!(resolver.find(&key("docs")).await.is_err());
    store.recover();
    put(&store, link("docs")).await;
    assert!(resolver.find(&key("docs")).await.is_err(), "for a second");
    let recalled = resolver.recall(&key("docs"), clock.now());
    assert_eq!(recalled, Recalled::Nothing);
    clock.advance_seconds(1);
    assert!(id_of(&resolver, "docs").await.is_some());
}

#[tokio::test]
async fn a_link_under_its_very_spelling_survives_the_loss_of_the_store() {
    let (resolver, store, clock) = resolver(SlugCase::Insensitive);
    put(&store, link("Old")).await;
    assert!(id_of(&resolver, "Old").await.is_some());
    store.break_down();
    clock.advance_seconds(60);
    assert!(id_of(&resolver, "Old").await.is_some());
    assert!(resolver.find(&key("OLD")).await.is_err());
}

#[tokio::test]
async fn what_a_counting_store_said_is_true_until_somebody_else_changes_links() {
    let (resolver, store, clock) = resolver(SlugCase::Insensitive);
    store.hear(Hearing::Counted(0));
    put(&store, link("docs")).await;
    assert!(id_of(&resolver, "docs").await.is_some());
    assert_eq!(id_of(&resolver, "other").await, None);
    store.delete(&key("docs"), &NOTE).await.unwrap();
    put(&store, link("other")).await;
    clock.advance_seconds(1_000_000);
    assert!(id_of(&resolver, "docs").await.is_some());
    assert_eq!(id_of(&resolver, "other").await, None);
    store.hear(Hearing::Counted(1));
    assert_eq!(id_of(&resolver, "docs").await, None);
    assert!(id_of(&resolver, "other").await.is_some());
}

fn change(text: &str, revision: Option<i64>) -> LinkChange {
    LinkChange {
        key: key(text),
        revision: revision.map(Revision::new),
    }
}

#[tokio::test]
async fn an_announced_change_shows_at_once_also_of_a_slug_that_was_free() {
    let (resolver, store, _) = resolver(SlugCase::Insensitive);
    put(&store, link("docs")).await;
    assert!(id_of(&resolver, "docs").await.is_some());
    assert_eq!(id_of(&resolver, "other").await, None);
    store.delete(&key("docs"), &NOTE).await.unwrap();
    put(&store, link("other")).await;
    assert!(id_of(&resolver, "docs").await.is_some(), "nobody told");
    assert_eq!(id_of(&resolver, "other").await, None, "nobody told");
    resolver.changed(&change("docs", None));
    resolver.changed(&change("other", Some(0)));
    assert_eq!(id_of(&resolver, "docs").await, None);
    assert!(id_of(&resolver, "other").await.is_some());
}

#[tokio::test]
async fn only_a_version_later_than_the_remembered_one_is_read() {
    let (resolver, store, _) = resolver(SlugCase::Insensitive);
    let mut docs = link("docs").build();
    docs.revision = Revision::new(7);
    store.insert(&ALL, &docs, &NOTE).await.unwrap();
    assert!(id_of(&resolver, "docs").await.is_some());
    store.delete(&key("docs"), &NOTE).await.unwrap();
    resolver.changed(&change("docs", Some(6)));
    resolver.changed(&change("docs", Some(7)));
    assert!(id_of(&resolver, "docs").await.is_some(), "still in memory");
    resolver.changed(&change("docs", Some(8)));
    assert_eq!(id_of(&resolver, "docs").await, None);
}

#[tokio::test]
async fn when_announcements_may_be_missing_everything_is_read_again() {
    let (resolver, store, clock) = resolver(SlugCase::Insensitive);
    let visible = async |text| match resolver.recall(&key(text), clock.now()) {
        Recalled::Nothing => Some(id_of(&resolver, text).await),
        Recalled::Link(_) | Recalled::NoLink => None,
    };
    put(&store, link("docs")).await;
    for hearing in [
        Hearing::Announced(0),
        Hearing::Announced(1),
        Hearing::Deaf,
        Hearing::Announced(2),
    ] {
        store.hear(hearing);
        for (text, is_known) in [("docs", true), ("other", false)] {
            let read = visible(text).await.expect("it is read again");
            assert_eq!(read.is_some(), is_known, "{hearing:?}");
            assert_eq!(visible(text).await, None, "{hearing:?}: once");
        }
    }
}

#[tokio::test]
async fn a_store_that_is_deaf_is_asked_again_after_a_second() {
    let (resolver, store, clock) = resolver(SlugCase::Insensitive);
    store.hear(Hearing::Deaf);
    put(&store, link("docs")).await;
    assert!(id_of(&resolver, "docs").await.is_some());
    assert_eq!(id_of(&resolver, "other").await, None);
    store.delete(&key("docs"), &NOTE).await.unwrap();
    put(&store, link("other")).await;
    clock.advance_seconds(1);
    assert_eq!(id_of(&resolver, "docs").await, None);
    assert!(id_of(&resolver, "other").await.is_some());
}

#[tokio::test]
async fn a_link_survives_that_the_store_is_deaf_and_then_gone() {
    let (resolver, store, clock) = resolver(SlugCase::Insensitive);
    put(&store, link("docs")).await;
    assert!(id_of(&resolver, "docs").await.is_some());
    store.hear(Hearing::Deaf);
    store.break_down();
    for _ in 0..24 {
        assert!(id_of(&resolver, "docs").await.is_some());
        clock.advance_seconds(3_600);
    }
    assert!(
        resolver.find(&key("docs")).await.is_err(),
        "a day after it was outdated"
    );
    store.recover();
    clock.advance_seconds(1);
    assert!(id_of(&resolver, "docs").await.is_some());
}

#[tokio::test]
async fn an_unknown_slug_is_remembered_briefly_and_forgotten_on_demand() {
    let (resolver, store, clock) = resolver(SlugCase::Insensitive);
    assert_eq!(id_of(&resolver, "docs").await, None);
    put(&store, link("docs")).await;
    assert_eq!(id_of(&resolver, "docs").await, None);
    clock.advance_seconds(5);
    assert!(id_of(&resolver, "docs").await.is_some());

    assert_eq!(id_of(&resolver, "other").await, None);
    put(&store, link("other")).await;
    resolver.forget(&key("other"));
    assert!(id_of(&resolver, "other").await.is_some());
}

#[tokio::test]
async fn the_canonical_spelling_is_tried_first_then_the_very_one() {
    let (resolver, store, _) = resolver(SlugCase::Insensitive);
    put(&store, link("Old").id("kept")).await;
    put(&store, link("Both").id("upper")).await;
    put(&store, link("both").id("lower")).await;
    assert_eq!(id_of(&resolver, "Old").await.as_deref(), Some("kept"));
    assert_eq!(id_of(&resolver, "old").await, None);
    assert_eq!(id_of(&resolver, "Both").await.as_deref(), Some("lower"));
}

#[tokio::test]
async fn case_sensitive_slugs_are_told_apart() {
    let (resolver, store, _) = resolver(SlugCase::Sensitive);
    put(&store, link("Both").id("upper")).await;
    put(&store, link("both").id("lower")).await;
    assert_eq!(id_of(&resolver, "Both").await.as_deref(), Some("upper"));
    assert_eq!(id_of(&resolver, "both").await.as_deref(), Some("lower"));
}

#[tokio::test]
async fn memory_stays_bounded_whatever_is_asked_for() {
    let options = with(ResolverOptions::default(), |it| it.capacity_bytes = 10_000);
    let (resolver, ..) = resolver_of(SlugCase::Insensitive, options);
    for i in 0..2_000 {
        assert_eq!(id_of(&resolver, &format!("guess-{i}")).await, None);
    }
    assert!(
        resolver.cache.weight() <= 10_000,
        "{}",
        resolver.cache.weight()
    );
}

/// The look-ups of a slow store. Each has its answer, and waits until the test lets it go.
#[derive(Debug, Default)]
struct Finds {
    count: AtomicUsize,
    asked: tokio::sync::Notify,
    go: tokio::sync::Notify,
}

impl Finds {
    fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    async fn wait(self: Arc<Self>) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.asked.notify_one();
        self.go.notified().await;
    }
}

/// Begins a look-up on a task of its own.
fn find_docs(resolver: &Arc<Resolver>) -> JoinHandle<Result<Option<Arc<FollowedLink>>, Error>> {
    let resolver = Arc::clone(resolver);
    tokio::spawn(async move { resolver.find(&key("docs")).await })
}

type Slow = (
    Arc<Resolver>,
    Arc<MemoryLinkStore>,
    Arc<FixedClock>,
    Arc<Finds>,
);

fn slow_resolver(read_timeout: Duration) -> Slow {
    let options = with(ResolverOptions::default(), |it| {
        it.read_timeout = read_timeout;
    });
    let (resolver, store, clock) = resolver_of(SlugCase::Insensitive, options);
    let finds = Arc::new(Finds::default());
    let each = Arc::clone(&finds);
    store.slow_down(move || Box::pin(Arc::clone(&each).wait()));
    (resolver, store, clock, finds)
}

#[tokio::test]
async fn one_visitor_waits_for_a_silent_store_and_all_share_what_comes_of_it() {
    let (resolver, store, clock, finds) = slow_resolver(Duration::from_millis(100));
    for text in ["docs", "other"] {
        put(&store, link(text)).await;
        finds.go.notify_one();
        assert!(id_of(&resolver, text).await.is_some());
    }
    clock.advance_seconds(60);
    let asked_before = finds.count();
    let visitors: Vec<_> = (0..20)
        .map(|_| {
            let resolver = Arc::clone(&resolver);
            tokio::spawn(async move { id_of(&resolver, "docs").await })
        })
        .collect();
    for visitor in visitors {
        assert!(visitor.await.unwrap().is_some());
    }
    assert_eq!(finds.count(), asked_before + 1);
    assert!(id_of(&resolver, "other").await.is_some());
    for i in 0..20 {
        assert!(resolver.find(&key(&format!("guess-{i}"))).await.is_err());
    }
    assert_eq!(finds.count(), asked_before + 1, "nobody else asked");

    clock.advance_seconds(1);
    finds.go.notify_one();
    assert!(id_of(&resolver, "docs").await.is_some());
    finds.go.notify_one();
    assert!(id_of(&resolver, "other").await.is_some());
    assert_eq!(finds.count(), asked_before + 3, "it answers again");
}

#[tokio::test]
async fn a_visitor_who_hangs_up_takes_no_stale_link_along() {
    let (resolver, store, clock, finds) = slow_resolver(Duration::from_secs(30));
    put(&store, link("docs")).await;
    finds.go.notify_one();
    assert!(id_of(&resolver, "docs").await.is_some());
    finds.asked.notified().await;
    clock.advance_seconds(60);
    let visitor = tokio::spawn({
        let resolver = Arc::clone(&resolver);
        async move { id_of(&resolver, "docs").await }
    });
    finds.asked.notified().await;
    visitor.abort();
    assert!(visitor.await.unwrap_err().is_cancelled());
    store.break_down();
    finds.go.notify_one();
    assert!(id_of(&resolver, "docs").await.is_some());
}

#[tokio::test]
async fn a_read_overtaken_by_an_announcement_is_repeated() {
    let (resolver, store, _, finds) = slow_resolver(Duration::from_secs(30));
    let old = link("docs").build();
    store.insert(&ALL, &old, &NOTE).await.unwrap();
    let reader = find_docs(&resolver);
    finds.asked.notified().await;
    let new = with(old.clone(), |it| it.revision = old.revision.next());
    store.update(&new, &Version::of(&old), &NOTE).await.unwrap();
    resolver.changed(&change("docs", Some(new.revision.get())));
    finds.go.notify_one();
    finds.asked.notified().await;
    finds.go.notify_one();
    let answered = reader.await.unwrap().unwrap().unwrap();
    assert_eq!(answered.revision, new.revision, "read again");
    assert_eq!(finds.count(), 2);
    let later = resolver.find(&key("docs")).await.unwrap().unwrap();
    assert_eq!(later.revision, new.revision);
    assert_eq!(finds.count(), 2, "remembered");
}

#[tokio::test]
async fn a_read_that_changes_keep_overtaking_is_repeated_once() {
    let (resolver, store, clock, finds) = slow_resolver(Duration::from_secs(30));
    put(&store, link("docs")).await;
    let reader = find_docs(&resolver);
    for _ in 0..2 {
        finds.asked.notified().await;
        resolver.forget(&key("docs"));
        finds.go.notify_one();
    }
    assert!(reader.await.unwrap().unwrap().is_some());
    assert_eq!(finds.count(), 2);
    let remembered = resolver.recall(&key("docs"), clock.now());
    assert_eq!(remembered, Recalled::Nothing);
}

#[tokio::test]
async fn an_overtaken_read_is_the_answer_if_the_store_fails_then() {
    let (resolver, store, _, finds) = slow_resolver(Duration::from_secs(30));
    put(&store, link("docs")).await;
    let reader = find_docs(&resolver);
    finds.asked.notified().await;
    store.break_down();
    resolver.forget(&key("docs"));
    finds.go.notify_one();
    finds.asked.notified().await;
    finds.go.notify_one();
    assert!(reader.await.unwrap().unwrap().is_some());
}

#[tokio::test]
async fn a_read_overtaken_by_a_change_is_repeated() {
    let (resolver, store, _, finds) = slow_resolver(Duration::from_secs(30));
    let docs = link("docs").build();
    store.insert(&ALL, &docs, &NOTE).await.unwrap();
    let reader = find_docs(&resolver);
    finds.asked.notified().await;
    let known = Version::of(&docs);
    let deleted = store.delete_version(&docs.key, &known, &NOTE).await;
    assert_eq!(deleted.unwrap(), Deletion::Deleted);
    resolver.forget(&key("docs"));
    finds.go.notify_one();
    finds.asked.notified().await;
    finds.go.notify_one();
    assert_eq!(reader.await.unwrap().unwrap(), None);
    assert_eq!(id_of(&resolver, "docs").await, None);
    assert_eq!(finds.count(), 2, "remembered");
}
