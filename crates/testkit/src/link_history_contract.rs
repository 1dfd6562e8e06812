//! The contract of every [`LinkHistory`] and of the stores that keep former versions.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use slugline_domain::{
    AuditNote, AuditedOperation, Author, Binding, Domain, DomainName, Ending, FormerVersion,
    Keeping, Link, LinkId, LinkKey, LinkVersions, Purge, Reach, RequestDigests, Revision,
    TrashPosition, TrashQuery,
    history::LinkHistory,
    ports::{
        AuditTrail, Deletion, DomainStore, Insertion, LinkMove, LinkStore, Taking, Update, Version,
    },
};

use crate::{
    ALL, DeleteByKey, LinkBuilder, full_link, join_all::join_all, key, link, newest_lines, seconds,
    tag, with,
};

/// Runs every clause, each on its own store, which has no links and no named domains and keeps so
/// much.
///
/// # Panics
/// A clause is violated.
pub async fn run_suite<D, S, F>(empty_stores: impl Fn(Keeping) -> F)
where
    D: DomainStore,
    S: LinkStore + AuditTrail + LinkHistory,
    F: Future<Output = (D, Arc<S>)>,
{
    let usual = Keeping::default();
    each_change_keeps_the_former_version(&*empty_stores(usual).await.1).await;
    what_makes_no_new_version_keeps_none(&*empty_stores(usual).await.1).await;
    let (domains, store) = empty_stores(usual).await;
    a_moved_link_keeps_its_versions(&domains, &*store).await;
    an_expired_link_that_gives_way_is_in_the_trash(&*empty_stores(usual).await.1).await;
    let (domains, store) = empty_stores(usual).await;
    the_trash_is_paged_the_link_deleted_last_first(&domains, &*store).await;
    a_link_is_brought_back_once_with_its_visits(&*empty_stores(usual).await.1).await;
    visits_up_to_a_deletion_stay_counted(&*empty_stores(usual).await.1).await;
    a_link_that_cannot_come_back_stays_in_the_trash(&*empty_stores(usual).await.1).await;
    an_identity_that_is_used_anew_begins_another_history(&*empty_stores(usual).await.1).await;
    a_purged_link_leaves_one_line_and_nothing_else(&*empty_stores(usual).await.1).await;
    of_a_purge_and_a_return_one_is_last(&*empty_stores(usual).await.1).await;
    the_trash_keeps_the_request_that_made_a_link(&*empty_stores(usual).await.1).await;
    let few = Keeping {
        versions: 2,
        deleted_for: Duration::from_secs(100),
    };
    so_many_versions_are_kept_and_no_more(&*empty_stores(few).await.1).await;
    deleted_links_are_kept_for_a_time(&*empty_stores(few).await.1).await;
    let no_trash = with(few, |it| it.deleted_for = Duration::ZERO);
    without_a_trash_a_deleted_link_takes_its_versions_along(&*empty_stores(no_trash).await.1).await;
    without_a_trash_the_key_of_a_request_is_free_again(&*empty_stores(no_trash).await.1).await;
    a_store_that_keeps_nothing_works(&*empty_stores(Keeping::NOTHING).await.1).await;
}

/// The note of a change so many seconds after noon.
fn note(second: i64, operation: AuditedOperation) -> AuditNote {
    AuditNote {
        at: seconds(second).start(),
        author: Author::service(),
        operation,
    }
}

async fn insert(store: &impl LinkStore, link: &Link) {
    let inserted = store
        .insert(&ALL, link, &note(0, AuditedOperation::LinkCreate))
        .await;
    assert_eq!(inserted.expect("insert"), Insertion::Stored, "{}", link.key);
}

/// Stores the next version of a link, with this comment.
async fn edit(store: &impl LinkStore, before: &Link, comment: &str, second: i64) -> Link {
    let mut after = before.clone();
    after.content.comment = Some(comment.parse().expect("short"));
    after.revision = before.revision.next();
    after.updated_at = seconds(second);
    let note = note(second, AuditedOperation::LinkEdit);
    let updated = store.update(&after, &Version::of(before), &note).await;
    assert_eq!(updated.expect("update"), Update::Stored);
    after
}

async fn delete(store: &impl LinkStore, link: &Link, second: i64) {
    let note = note(second, AuditedOperation::LinkDelete);
    let deleted = store.delete(&link.key, &note).await.expect("delete");
    assert!(deleted.is_some(), "{}", link.key);
}

async fn bring_back(
    store: &impl LinkHistory,
    link: &Link,
    last: &Link,
    second: i64,
) -> Option<Insertion> {
    let note = note(second, AuditedOperation::LinkRestore);
    let back = store.bring_back(&Reach::Everything, link, last.revision, &note);
    back.await.expect("bring back")
}

async fn versions(store: &impl LinkHistory, link: &Link) -> LinkVersions {
    store.versions(&link.id).await.expect("versions")
}

async fn former(store: &impl LinkHistory, link: &Link) -> Vec<Link> {
    let versions = versions(store, link).await;
    versions.former.into_iter().map(|one| one.link).collect()
}

async fn trash(store: &impl LinkHistory, query: TrashQuery) -> Vec<FormerVersion> {
    store.trash(&query).await.expect("trash")
}

fn of_trash(limit: u32) -> TrashQuery {
    TrashQuery {
        reach: Reach::Everything,
        domain: None,
        after: None,
        limit,
    }
}

async fn in_trash(store: &impl LinkHistory) -> Vec<String> {
    let links = trash(store, of_trash(100)).await;
    links.iter().map(|one| one.link.key.to_string()).collect()
}

fn sorted(mut link: Link) -> Link {
    link.content.tags = link.content.tags.sorted();
    link
}

async fn each_change_keeps_the_former_version(store: &(impl LinkStore + LinkHistory)) {
    let first = sorted(full_link("docs"));
    insert(store, &first).await;
    assert_eq!(former(store, &first).await, [], "a new link pays nothing");
    let second = edit(store, &first, "b", 1).await;
    let third = edit(store, &second, "c", 2).await;
    let known = Version::of(&third);
    let note = note(3, AuditedOperation::LinkDelete);
    let deleted = store.delete_version(&third.key, &known, &note).await;
    assert_eq!(deleted.expect("delete"), Deletion::Deleted);
    let LinkVersions { current, former } = versions(store, &first).await;
    assert_eq!(current, None);
    let links: Vec<&Link> = former.iter().map(|one| &one.link).collect();
    assert_eq!(links, [&third, &second, &first]);
    let ends: Vec<_> = former
        .into_iter()
        .map(|one| (one.end, one.is_deleted))
        .collect();
    let edit = |second| Ending::by(&self::note(second, AuditedOperation::LinkEdit));
    let expected = [
        (Ending::by(&note), true),
        (edit(2), false),
        (edit(1), false),
    ];
    assert_eq!(ends, expected);
}

async fn what_makes_no_new_version_keeps_none(store: &(impl LinkStore + LinkHistory)) {
    let first = link("docs").max_visits(5).build();
    insert(store, &first).await;
    let taken = store.take_visit(&first.id, first.revision).await;
    assert_eq!(taken.expect("take a visit"), Taking::Taken);
    // As the service does when it renews the hash of a password.
    let known = Version::of(&first);
    let rehash = note(1, AuditedOperation::LinkRehash);
    let updated = store.update(&first, &known, &rehash).await;
    assert_eq!(updated.expect("update"), Update::Stored);
    let outdated = with(known, |it| it.revision = first.revision.next());
    let mut other = first.clone();
    other.revision = outdated.revision.next();
    let refused = store.update(&other, &outdated, &rehash).await;
    assert_eq!(refused.expect("update"), Update::Outdated);
    let refused = store.delete_version(&first.key, &outdated, &rehash).await;
    assert_eq!(refused.expect("delete"), Deletion::Outdated);
    let nothing = store.delete(&key("nobody"), &rehash).await;
    assert_eq!(nothing.expect("delete"), None);
    let refused = store.insert(&ALL, &first, &rehash).await;
    assert_eq!(refused.expect("insert"), Insertion::SlugTaken);
    assert_eq!(former(store, &first).await, []);
}

async fn a_moved_link_keeps_its_versions(
    domains: &impl DomainStore,
    store: &(impl LinkStore + LinkHistory),
) {
    let host = "go.example".parse().expect("a host");
    let add = note(0, AuditedOperation::DomainAdd);
    let named = domains.insert(&Domain::new(host), &add).await;
    assert!(named.expect("insert"));
    let there = link("go.example/docs").tags(&["a"]).build();
    insert(store, &there).await;
    let edited = edit(store, &there, "b", 1).await;
    let go = note(2, AuditedOperation::LinkMove);
    let read = std::slice::from_ref(&edited);
    let moved = domains.move_links(read, &DomainName::DEFAULT, &go).await;
    assert_eq!(moved.expect("move"), LinkMove::Moved);
    let versions = versions(store, &there).await;
    let current = versions.current.expect("it is there");
    assert_eq!(current.key, key("docs"));
    let links: Vec<&Link> = versions.former.iter().map(|one| &one.link).collect();
    assert_eq!(links, [&edited, &there]);
    assert_eq!(versions.former[0].end, Ending::by(&go));
    assert!(!versions.former[0].is_deleted);
    assert_eq!(in_trash(store).await, [""; 0]);
}

async fn an_expired_link_that_gives_way_is_in_the_trash(store: &(impl LinkStore + LinkHistory)) {
    let create = note(10, AuditedOperation::LinkCreate);
    for (slug, many) in [("one", false), ("two", true)] {
        let expired = link(slug).id(slug).tags(&["x"]).expires(5).build();
        insert(store, &expired).await;
        let new = link(slug).build();
        if many {
            let new = std::slice::from_ref(&new);
            let inserted = store.insert_many(&ALL, new, &create).await;
            assert_eq!(inserted.expect("insert"), [Insertion::Stored]);
        } else {
            let inserted = store.insert(&ALL, &new, &create).await;
            assert_eq!(inserted.expect("insert"), Insertion::Stored);
        }
        let kept = &versions(store, &expired).await.former[0];
        assert_eq!((&kept.link, kept.is_deleted), (&expired, true));
        assert_eq!(kept.end, Ending::by(&create));
        assert_eq!(former(store, &new).await, []);
    }
    assert_eq!(in_trash(store).await, ["two", "one"]);
}

async fn the_trash_is_paged_the_link_deleted_last_first(
    domains: &impl DomainStore,
    store: &(impl LinkStore + LinkHistory),
) {
    let host = "go.example".parse().expect("a host");
    let add = note(0, AuditedOperation::DomainAdd);
    let named = domains.insert(&Domain::new(host), &add).await;
    assert!(named.expect("insert"));
    let links = [
        link("a").tags(&["news"]).build(),
        link("go.example/b").tags(&["newsletter"]).build(),
        link("c").tags(&["a", "news", "z"]).build(),
        link("d").build(),
    ];
    // Two of them in one moment.
    for (link, second) in links.iter().zip([1, 2, 2, 3]) {
        insert(store, link).await;
        delete(store, link, second).await;
    }
    insert(store, &link("there").build()).await;
    let mut pages = Vec::new();
    let mut after: Option<TrashPosition> = None;
    loop {
        let page = trash(store, with(of_trash(3), |it| it.after = after)).await;
        after = page.last().map(TrashPosition::after);
        pages.push(page.len());
        if page.is_empty() {
            break;
        }
    }
    assert_eq!(pages, [3, 1, 0]);
    assert_eq!(in_trash(store).await, ["d", "c", "go.example/b", "a"]);
    let go = DomainName::parse("go.example").expect("a name");
    let bound = |ids: &[&str], tags: &[&str], domains: &[&DomainName]| {
        let ids = ids.iter().map(|id| LinkId::parse(id).expect("an id"));
        let tags = tags.iter().map(|text| tag(text));
        let domains = domains.iter().map(|name| (*name).clone());
        Reach::bound(Binding::new(ids, tags, domains).expect("few"))
    };
    let default = DomainName::DEFAULT;
    for (query, expected) in [
        (
            with(of_trash(9), |it| it.domain = Some(go.clone())),
            &["go.example/b"][..],
        ),
        (
            with(of_trash(9), |it| it.domain = Some(default.clone())),
            &["d", "c", "a"],
        ),
        (
            with(of_trash(9), |it| it.reach = bound(&[], &["news"], &[])),
            &["c", "a"],
        ),
        (
            with(of_trash(9), |it| it.reach = bound(&["id-d"], &["z"], &[])),
            &["d", "c"],
        ),
        (
            with(of_trash(9), |it| it.reach = bound(&[], &[], &[&go])),
            &["go.example/b"],
        ),
        (
            TrashQuery {
                reach: bound(&["id-d"], &["news"], &[&go]),
                ..of_trash(9)
            },
            &[],
        ),
    ] {
        let found = trash(store, query.clone()).await;
        let found: Vec<String> = found.iter().map(|one| one.link.key.to_string()).collect();
        assert_eq!(found, expected, "{query:?}");
    }
}

async fn a_link_is_brought_back_once_with_its_visits(
    store: &(impl LinkStore + AuditTrail + LinkHistory),
) {
    let first = link("docs").max_visits(5).tags(&["a"]).build();
    insert(store, &first).await;
    for _ in 0..2 {
        let taken = store.take_visit(&first.id, first.revision).await;
        assert_eq!(taken.expect("take a visit"), Taking::Taken);
    }
    delete(store, &first, 1).await;
    let deleted = former(store, &first).await.remove(0);
    assert_eq!(deleted.visits_used, 2);
    let back = Link {
        revision: deleted.revision.next(),
        updated_at: seconds(2),
        ..deleted.clone()
    };
    let elsewhere = with(back.clone(), |it| it.key = key("elsewhere"));
    let both = [&back, &elsewhere];
    let both = both.map(|link| bring_back(store, link, &deleted, 2));
    let outcomes = join_all(both.into()).await;
    let stored = outcomes
        .iter()
        .filter(|outcome| **outcome == Some(Insertion::Stored));
    assert_eq!(stored.count(), 1, "{outcomes:?}");
    assert!(outcomes.contains(&None), "{outcomes:?}");
    let LinkVersions { current, former } = versions(store, &first).await;
    let current = current.expect("it is back");
    assert!([&back, &elsewhere].contains(&&current));
    assert_eq!(former.len(), 1);
    assert_eq!(former[0].link, deleted);
    let restored = note(2, AuditedOperation::LinkRestore);
    assert_eq!(former[0].end, Ending::by(&restored));
    assert!(!former[0].is_deleted);
    assert_eq!(in_trash(store).await, [""; 0]);
    let lines = store.lines(&newest_lines(9)).await.expect("lines");
    assert_eq!(lines[0].operation, "link.restore");
    assert_eq!(lines[0].key.as_ref(), Some(&current.key));
    assert_eq!(lines.len(), 3);
}

type Attempt<'a> = Pin<Box<dyn Future<Output = bool> + Send + 'a>>;

async fn visits_up_to_a_deletion_stay_counted(store: &(impl LinkStore + LinkHistory)) {
    for round in 0..8 {
        let limited = link(&format!("race-{round}")).max_visits(100).build();
        insert(store, &limited).await;
        let take = async || {
            let taken = store.take_visit(&limited.id, limited.revision).await;
            taken.expect("take a visit") == Taking::Taken
        };
        let mut attempts: Vec<Attempt<'_>> = Vec::new();
        for number in 0..12 {
            attempts.push(Box::pin(take()));
            if number == round {
                let delete = async {
                    delete(store, &limited, 1).await;
                    false
                };
                attempts.push(Box::pin(delete));
            }
        }
        let taken = join_all(attempts).await;
        let taken = taken.iter().filter(|taken| **taken).count();
        let last = former(store, &limited).await.remove(0);
        assert_eq!(u32::try_from(taken), Ok(last.visits_used), "round {round}");
    }
}

async fn a_link_that_cannot_come_back_stays_in_the_trash(store: &(impl LinkStore + LinkHistory)) {
    let first = link("docs").build();
    insert(store, &first).await;
    delete(store, &first, 1).await;
    let taken = link("docs").id("another").build();
    insert(store, &taken).await;
    let back = |key: &str| Link {
        key: LinkKey::parse(key).expect("a key"),
        revision: first.revision.next(),
        ..first.clone()
    };
    for (link, outcome) in [
        (back("docs"), Some(Insertion::SlugTaken)),
        (back("nobody.example/docs"), Some(Insertion::NoDomain)),
    ] {
        assert_eq!(bring_back(store, &link, &first, 2).await, outcome);
    }
    let wrong = with(first.clone(), |it| it.revision = Revision::new(7));
    assert_eq!(bring_back(store, &back("free"), &wrong, 2).await, None);
    assert_eq!(in_trash(store).await, ["docs"]);
    assert_eq!(former(store, &taken).await, []);
    let free = bring_back(store, &back("free"), &first, 2).await;
    assert_eq!(free, Some(Insertion::Stored));
}

async fn an_identity_that_is_used_anew_begins_another_history(
    store: &(impl LinkStore + LinkHistory),
) {
    let first = link("docs").id("x").build();
    insert(store, &first).await;
    let second = edit(store, &first, "b", 1).await;
    delete(store, &second, 2).await;
    let anew = link("other").id("x").build();
    insert(store, &anew).await;
    assert_eq!(former(store, &anew).await, []);
    assert_eq!(in_trash(store).await, [""; 0], "its identity is in use");
    let edited = edit(store, &anew, "c", 3).await;
    assert_eq!(former(store, &anew).await, std::slice::from_ref(&anew));
    delete(store, &edited, 4).await;
    assert_eq!(former(store, &anew).await, [edited, anew]);
    assert_eq!(in_trash(store).await, ["other"]);
}

/// A link that a request under the key 7 made.
fn requested(text: &str) -> Link {
    let (key, asked) = ([7; 32], [8; 32]);
    with(link(text).build(), |it| {
        it.request = Some(RequestDigests { key, asked });
    })
}

/// The link that the request under the key 7 made, and whether it is in the trash.
async fn made(store: &impl LinkHistory) -> Vec<(Link, bool)> {
    let keys = [[7; 32], [9; 32]].into();
    let made = store.made_by(&keys).await.expect("find").into_iter();
    made.map(|made| (made.link, made.is_deleted)).collect()
}

async fn insert_again(store: &impl LinkStore) -> Insertion {
    let note = note(5, AuditedOperation::LinkCreate);
    let again = requested("again");
    let alone = store.insert(&ALL, &again, &note).await.expect("insert");
    if alone == Insertion::Repeated {
        let list = store.insert_many(&ALL, &[again], &note).await;
        assert_eq!(list.expect("insert"), [Insertion::Repeated]);
    }
    alone
}

async fn the_trash_keeps_the_request_that_made_a_link(store: &(impl LinkStore + LinkHistory)) {
    assert_eq!(made(store).await, []);
    let first = requested("docs");
    insert(store, &first).await;
    insert(store, &link("other").build()).await;
    let second = edit(store, &first, "b", 1).await;
    assert_eq!(made(store).await, [(second.clone(), false)]);
    delete(store, &second, 2).await;
    assert_eq!(made(store).await, [(second.clone(), true)]);
    assert_eq!(insert_again(store).await, Insertion::Repeated);
    let third = with(second.clone(), |it| it.revision = second.revision.next());
    let back = bring_back(store, &third, &second, 3).await;
    assert_eq!(back, Some(Insertion::Stored));
    assert_eq!(made(store).await, [(third.clone(), false)]);
    assert_eq!(insert_again(store).await, Insertion::Repeated);
    delete(store, &third, 4).await;
    assert_eq!(made(store).await, [(third, true)]);
    let purge = note(5, AuditedOperation::LinkPurge);
    store.purge(&first.id, None, &purge).await.expect("purge");
    assert_eq!(made(store).await, []);
    assert_eq!(insert_again(store).await, Insertion::Stored);
}

async fn without_a_trash_the_key_of_a_request_is_free_again(
    store: &(impl LinkStore + LinkHistory),
) {
    let first = requested("docs");
    insert(store, &first).await;
    let second = edit(store, &first, "b", 1).await;
    delete(store, &second, 2).await;
    assert_eq!(made(store).await, []);
    assert_eq!(insert_again(store).await, Insertion::Stored);
}

async fn a_purged_link_leaves_one_line_and_nothing_else(
    store: &(impl LinkStore + AuditTrail + LinkHistory),
) {
    let there = link("there").build();
    let gone = link("gone").build();
    let other = link("other").build();
    for link in [&there, &gone, &other] {
        insert(store, link).await;
        edit(store, link, "b", 1).await;
    }
    delete(store, &gone, 2).await;
    let before = store.lines(&newest_lines(99)).await.expect("lines");
    let known = Version::of(&there);
    let purge = async |link: &Link, known: Option<&Version>| {
        let note = note(3, AuditedOperation::LinkPurge);
        store.purge(&link.id, known, &note).await.expect("purge")
    };
    assert_eq!(purge(&there, Some(&known)).await, Purge::Outdated);
    let current = versions(store, &there).await.current.expect("it is there");
    let known = Version::of(&current);
    assert_eq!(purge(&gone, Some(&known)).await, Purge::Outdated);
    let purged = purge(&there, Some(&known)).await;
    assert_eq!(purged, Purge::Purged(key("there")));
    assert_eq!(purge(&gone, None).await, Purge::Purged(key("gone")));
    for link in [&there, &gone] {
        assert_eq!(versions(store, link).await, LinkVersions::default());
        assert_eq!(store.find(&link.key).await.expect("find"), None);
        assert_eq!(purge(link, None).await, Purge::Nothing);
    }
    assert_eq!(in_trash(store).await, [""; 0]);
    assert_eq!(former(store, &other).await.len(), 1);
    let after = store.lines(&newest_lines(99)).await.expect("lines");
    let new: Vec<_> = after[..after.len() - before.len()].iter().collect();
    assert!(new.iter().all(|line| line.operation == "link.purge"));
    let keys: Vec<_> = new.iter().map(|line| line.key.clone()).collect();
    assert_eq!(keys, [Some(key("gone")), Some(key("there"))]);
}

async fn of_a_purge_and_a_return_one_is_last(store: &(impl LinkStore + LinkHistory)) {
    for round in 0..8 {
        let name = format!("race-{round}");
        let first = link(&name).build();
        insert(store, &first).await;
        delete(store, &first, 1).await;
        let back = with(first.clone(), |it| it.revision = first.revision.next());
        let restore = async { bring_back(store, &back, &first, 2).await.is_some() };
        let purge = async {
            let note = note(2, AuditedOperation::LinkPurge);
            loop {
                let purged = store.purge(&first.id, None, &note).await;
                match purged.expect("purge") {
                    Purge::Outdated => {}
                    Purge::Nothing => return false,
                    Purge::Purged(_) => return true,
                }
            }
        };
        let mut attempts: Vec<Attempt<'_>> = vec![Box::pin(restore), Box::pin(purge)];
        if round % 2 == 1 {
            attempts.reverse();
        }
        let done = join_all(attempts).await;
        assert!(
            done[usize::from(round % 2 == 0)],
            "the purge found something"
        );
        assert_eq!(versions(store, &first).await, LinkVersions::default());
        assert_eq!(store.find(&first.key).await.expect("find"), None);
    }
}

async fn so_many_versions_are_kept_and_no_more(store: &(impl LinkStore + LinkHistory)) {
    let mut versions = vec![link("docs").build(), link("other").build()];
    insert(store, &versions[0]).await;
    insert(store, &versions[1]).await;
    let other = versions.pop().expect("two");
    edit(store, &other, "b", 1).await;
    for comment in ["b", "c", "d", "e"] {
        let before = versions.last().expect("one");
        versions.push(edit(store, before, comment, 1).await);
    }
    let kept = former(store, &versions[0]).await;
    assert_eq!(kept, [versions[3].clone(), versions[2].clone()]);
    assert_eq!(former(store, &other).await, [other]);
}

async fn deleted_links_are_kept_for_a_time(store: &(impl LinkStore + LinkHistory)) {
    let links = [link("a"), link("b"), link("c")].map(LinkBuilder::build);
    for (link, second) in links.iter().zip([10, 20, 30]) {
        insert(store, link).await;
        let edited = edit(store, link, "b", 1).await;
        delete(store, &edited, second).await;
    }
    let there = link("there").build();
    insert(store, &there).await;
    edit(store, &there, "b", 1).await;
    let remove = async |second: i64, limit: u32| {
        let now = seconds(second).start();
        store.remove_old(now, limit).await.expect("remove")
    };
    assert_eq!(remove(110, 9).await, 0);
    assert_eq!(remove(121, 1).await, 1);
    assert_eq!(in_trash(store).await, ["c", "b"]);
    assert_eq!(remove(121, 9).await, 1);
    assert_eq!(former(store, &links[0]).await, []);
    assert_eq!(former(store, &links[1]).await, []);
    assert_eq!(former(store, &links[2]).await.len(), 2);
    assert_eq!(remove(100_000, 9).await, 1);
    assert_eq!(former(store, &there).await, [there], "it is there");
}

async fn without_a_trash_a_deleted_link_takes_its_versions_along(
    store: &(impl LinkStore + LinkHistory),
) {
    let first = link("docs").expires(5).build();
    insert(store, &first).await;
    let second = edit(store, &first, "b", 1).await;
    assert_eq!(former(store, &first).await.len(), 1);
    let create = note(10, AuditedOperation::LinkCreate);
    let replaced = store
        .insert(&ALL, &link("docs").id("new").build(), &create)
        .await;
    assert_eq!(replaced.expect("insert"), Insertion::Stored);
    assert_eq!(versions(store, &second).await, LinkVersions::default());
}

async fn a_store_that_keeps_nothing_works(store: &(impl LinkStore + LinkHistory)) {
    let first = link("docs").build();
    insert(store, &first).await;
    let second = edit(store, &first, "b", 1).await;
    assert_eq!(former(store, &first).await, []);
    delete(store, &second, 2).await;
    assert_eq!(versions(store, &first).await, LinkVersions::default());
    let now = seconds(3).start();
    assert_eq!(store.remove_old(now, 9).await.expect("remove"), 0);
}
