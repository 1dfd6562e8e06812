//! The life of a link: counted visits, statuses, and the slugs that links keep.

use std::sync::Arc;

use slugline_domain::{
    FollowedLink, Link, LinkKey, LinkOrder, LinkStatus, ListQuery, MaxVisits, Reach, StatusFilter,
    ports::{AuditTrail, Insertion, LinkStore, Taking, Update, Version},
};

use super::shorthand::{all_that, everywhere, keys, store, store_all};
use crate::{
    ALL, DeleteByKey, NOON, NOTE, full_link, join_all::join_all, key, link, newest_lines, seconds,
    with,
};

async fn take(store_: &impl LinkStore, link: &Link) -> Taking {
    let taken = store_.take_visit(&link.id, link.revision).await;
    taken.expect("take a visit")
}

async fn update(store_: &impl LinkStore, new: &Link, old: &Link) {
    let updated = store_.update(new, &Version::of(old), &NOTE).await;
    assert_eq!(updated.expect("update"), Update::Stored);
}

async fn used(store_: &impl LinkStore, link: &Link) -> u32 {
    let found = store_.find(&link.key).await.expect("find");
    found.expect("it is there").visits_used
}

pub(super) async fn so_many_visits_are_counted_and_no_more(store_: &(impl LinkStore + AuditTrail)) {
    let limited = link("docs").max_visits(3).visits_used(1).build();
    let other = link("other").max_visits(3).build();
    for link in [&limited, &other] {
        store(store_, link).await;
    }
    let query = newest_lines(100);
    let lines = store_.lines(&query).await.expect("lines");
    for (taken, count) in [
        (Taking::Taken, 2),
        (Taking::Taken, 3),
        (Taking::UsedUp, 3),
        (Taking::UsedUp, 3),
    ] {
        assert_eq!(take(store_, &limited).await, taken);
        assert_eq!(used(store_, &limited).await, count);
    }
    assert_eq!(used(store_, &other).await, 0);
    let found = store_.find(&limited.key).await.expect("find");
    let unchanged = with(limited, |it| it.visits_used = 3);
    assert_eq!(found, Some(unchanged), "a visit makes no version");
    assert_eq!(store_.lines(&query).await.expect("lines"), lines);
}

pub(super) async fn visits_of_another_version_are_not_counted(store_: &impl LinkStore) {
    let limited = link("docs").max_visits(3).build();
    let free = link("free").build();
    for link in [&limited, &free] {
        store(store_, link).await;
    }
    let mut later = limited.clone();
    later.revision = limited.revision.next();
    let nowhere = link("nowhere").max_visits(3).build();
    for link in [&later, &free, &nowhere] {
        let taken = take(store_, link).await;
        assert_eq!(taken, Taking::Outdated, "{}", link.key);
    }
    assert_eq!(used(store_, &limited).await, 0);
    store_.delete(&limited.key, &NOTE).await.expect("delete");
    assert_eq!(take(store_, &limited).await, Taking::Outdated);
}

pub(super) async fn a_changed_limit_keeps_the_visits_that_were_used(store_: &impl LinkStore) {
    let mut before = link("docs").max_visits(2).build();
    store(store_, &before).await;
    assert_eq!(take(store_, &before).await, Taking::Taken);
    // What the author of a change read is older than the visit.
    for (limit, next) in [
        (Some(1), Taking::UsedUp),
        (Some(2), Taking::Taken),
        (None, Taking::Outdated),
        (Some(2), Taking::UsedUp),
        (Some(3), Taking::Taken),
    ] {
        let mut after = before.clone();
        after.revision = before.revision.next();
        after.content.life.max_visits = limit.and_then(|limit| MaxVisits::new(limit).ok());
        update(store_, &after, &before).await;
        assert_eq!(take(store_, &after).await, next, "{limit:?}");
        before = after;
    }
    assert_eq!(used(store_, &before).await, 3);
}

pub(super) async fn of_many_concurrent_visits_so_many_are_counted<S: LinkStore>(store_: Arc<S>) {
    let limited = link("race").max_visits(5).build();
    store(store_.as_ref(), &limited).await;
    let attempts = (0..32).map(async |attempt| {
        if attempt % 2 == 0 {
            return store_.take_visit(&limited.id, limited.revision).await;
        }
        let (taken, now) = store_.take_visit_now(&limited.key).await?;
        assert_eq!(now, Some(FollowedLink::from(&limited)));
        Ok(taken)
    });
    let outcomes = join_all(attempts.collect()).await;
    let outcomes = outcomes
        .into_iter()
        .map(|taken| taken.expect("take a visit"));
    assert_eq!(outcomes.filter(|taken| *taken == Taking::Taken).count(), 5);
    assert_eq!(used(store_.as_ref(), &limited).await, 5);
}

pub(super) async fn a_visit_of_whichever_version_is_one_of_the_link_that_is_read(
    store_: &impl LinkStore,
) {
    let mut before = link("now").max_visits(1).build();
    store(store_, &before).await;
    let take = async |key: &LinkKey| {
        let taken = store_.take_visit_now(key).await;
        taken.expect("take a visit")
    };
    for (limit, next) in [
        (Some(1), Taking::Taken),
        (Some(1), Taking::UsedUp),
        (Some(2), Taking::Taken),
        (None, Taking::Outdated),
    ] {
        let mut after = before.clone();
        after.revision = before.revision.next();
        after.content.life.max_visits = limit.and_then(|limit| MaxVisits::new(limit).ok());
        update(store_, &after, &before).await;
        let now = Some(FollowedLink::from(&after));
        assert_eq!(take(&after.key).await, (next, now), "{limit:?}");
        before = after;
    }
    assert_eq!(used(store_, &before).await, 2);
    assert_eq!(take(&key("nowhere")).await, (Taking::Outdated, None));
}

pub(super) async fn an_update_changes_no_count(store_: &impl LinkStore) {
    let old = full_link("docs");
    store(store_, &old).await;
    let mut new = link("docs").id(old.id.as_str()).max_visits(7).build();
    new.revision = old.revision.next();
    update(store_, &new, &old).await;
    let expected = with(new, |it| it.visits_used = old.visits_used);
    let found = store_.find(&old.key).await.expect("find");
    assert_eq!(found, Some(expected));
}

/// A link of each status, and those of which several hold.
fn lives() -> [(Link, LinkStatus); 8] {
    [
        (link("a").starts(0).expires(1).build(), LinkStatus::Active),
        (
            link("b").max_visits(2).visits_used(1).build(),
            LinkStatus::Active,
        ),
        (link("c").starts(1).build(), LinkStatus::Scheduled),
        (link("d").starts(1).disabled().build(), LinkStatus::Disabled),
        (
            link("e").expires(0).disabled().build(),
            LinkStatus::Disabled,
        ),
        (
            link("f").max_visits(1).visits_used(1).starts(1).build(),
            LinkStatus::UsedUp,
        ),
        (
            link("g").max_visits(1).visits_used(1).expires(0).build(),
            LinkStatus::Expired,
        ),
        (link("h").expires(0).build(), LinkStatus::Expired),
    ]
}

pub(super) async fn listings_know_every_status(store_: &impl LinkStore) {
    for (link, status) in lives() {
        assert_eq!(link.status_at(NOON), status, "{}", link.key.slug);
        store(store_, &link).await;
    }
    let mut ended = link("i").build();
    ended.ends_at = Some(seconds(0));
    store(store_, &ended).await;
    for (status, expected) in [
        (StatusFilter::Only(LinkStatus::Active), "ab"),
        (StatusFilter::Only(LinkStatus::Scheduled), "c"),
        (StatusFilter::Only(LinkStatus::Disabled), "de"),
        (StatusFilter::Only(LinkStatus::UsedUp), "f"),
        (StatusFilter::Only(LinkStatus::Expired), "ghi"),
        (StatusFilter::Current, "abcde"),
        (StatusFilter::All, "abcdefghi"),
    ] {
        let filter = with(everywhere(), |it| it.status = status);
        let query = ListQuery {
            order: LinkOrder::SlugAscending,
            ..all_that(filter.clone())
        };
        assert_eq!(keys(store_, query).await.concat(), expected, "{status:?}");
        let count = store_.count(&filter, NOON).await.expect("count");
        assert_eq!(usize::try_from(count), Ok(expected.len()), "{status:?}");
    }
}

pub(super) async fn only_an_expired_link_loses_its_slug(store_: &impl LinkStore) {
    for (link, _) in lives() {
        store(store_, &link).await;
    }
    for (owner, status) in lives() {
        let heir = link(owner.key.slug.as_str())
            .id(&format!("heir-{}", owner.key.slug))
            .build();
        let expected = match status {
            LinkStatus::Expired => Insertion::Stored,
            LinkStatus::Active
            | LinkStatus::Scheduled
            | LinkStatus::UsedUp
            | LinkStatus::Disabled => Insertion::SlugTaken,
        };
        // Alone and in a batch, before one of them takes the slug.
        if expected == Insertion::SlugTaken {
            let batch = [heir.clone()];
            let many = store_.insert_many(&Reach::Everything, &batch, &NOTE).await;
            assert_eq!(many.expect("insert"), [expected], "{status:?}");
        }
        let one = store_.insert(&ALL, &heir, &NOTE).await.expect("insert");
        assert_eq!(one, expected, "{status:?}");
    }
    let over = link("over").expires(0).build();
    let hidden = link("hidden").expires(0).disabled().build();
    let batch = [
        over,
        link("over").id("over-2").build(),
        hidden,
        link("hidden").id("hidden-2").build(),
    ];
    let many = store_all(store_, &batch).await;
    let (taken, refused) = many.split_at(3);
    assert_eq!(taken, [Insertion::Stored; 3]);
    assert_eq!(refused, [Insertion::SlugTaken]);
}
