//! The contract of every [`AuditTrail`] and of the [`LinkStore`] that writes it. The suite of
//! link stores runs it, too.

use std::{collections::BTreeSet, future::Future};

use slugline_domain::{
    AuditFilter, AuditLine, AuditNote, AuditPosition, AuditedOperation, Author, CallerName,
    ClientTag, Link, UnixSeconds,
    ports::{AuditTrail, Deletion, LinkStore, TokenStore, Update, Version},
};

use crate::{
    ALL, DeleteByKey, NOTE,
    join_all::join_all,
    key, link, newest_lines, noted, seconds,
    token_store_contract::{name, token},
    with,
};

/// Runs every clause, each on its own store.
///
/// # Panics
/// A clause is violated.
pub(crate) async fn run_suite<S, F>(empty_store: impl Fn() -> F)
where
    S: LinkStore + AuditTrail,
    F: Future<Output = S>,
{
    every_change_leaves_one_line(&empty_store().await).await;
    what_changes_nothing_leaves_no_line(&empty_store().await).await;
    of_many_concurrent_changes_those_that_happened_leave_lines(&empty_store().await).await;
    lines_are_paged_without_gaps_the_newest_first(&empty_store().await).await;
    lines_are_filtered(&empty_store().await).await;
    old_lines_are_removed_in_pieces(&empty_store().await).await;
    a_change_elsewhere_can_leave_a_line(&empty_store().await).await;
    lines_of_one_domain_are_found(&empty_store().await).await;
}

async fn lines_of_one_domain_are_found(store: &impl AuditTrail) {
    let keys = ["docs", "go.example/docs", "go.example.org/docs"].map(key);
    for link in keys.iter().map(Some).chain([None]) {
        let note = note(0, AuditedOperation::VisitsErase);
        store.add(&note, link).await.expect("add");
    }
    for wanted in &keys {
        let filter = AuditFilter {
            domain: Some(wanted.domain.clone()),
            ..AuditFilter::default()
        };
        let query = with(newest_lines(100), |it| it.filter = filter);
        let lines = store.lines(&query).await.expect("lines");
        let found: Vec<_> = lines.iter().map(|line| line.key.as_ref()).collect();
        assert_eq!(found, [Some(wanted)]);
    }
}

async fn a_change_elsewhere_can_leave_a_line(store: &impl AuditTrail) {
    let docs = key("docs");
    for (second, slug) in [(0, Some(&docs)), (1, None)] {
        let note = note(second, AuditedOperation::VisitsErase);
        store.add(&note, slug).await.expect("add");
    }
    let lines = all(store).await;
    let keys: Vec<_> = lines.iter().map(|line| line.key.as_ref()).collect();
    assert_eq!(keys, [None, Some(&docs)]);
    for line in &lines {
        assert_eq!(line.operation, "visits.erase");
        assert_eq!(line.author, author());
    }
}

/// Checks that a new and a revoked token leave lines, and refused changes none.
///
/// # Panics
/// The clause is violated.
pub async fn changes_of_tokens_leave_lines(tokens: &impl TokenStore, trail: &impl AuditTrail) {
    let add = note(0, AuditedOperation::TokenAdd);
    let revoke = note(1, AuditedOperation::TokenRevoke);
    for expected in [true, false] {
        let added = tokens.insert(&token("ci", 1), &add).await;
        assert_eq!(added.expect("insert"), expected);
    }
    for expected in [true, false] {
        let revoked = tokens.revoke(&name("ci"), &revoke).await;
        assert_eq!(revoked.expect("revoke"), expected);
    }
    let lines = all(trail).await;
    let seen: Vec<_> = lines
        .iter()
        .map(|line| (line.at, &*line.operation))
        .collect();
    assert_eq!(seen, [(revoke.at, "token.revoke"), (add.at, "token.add")]);
    for line in lines {
        assert_eq!(line.key, None);
        assert_eq!(line.author, author());
        assert_eq!(line.token.expect("a token").as_str(), "ci");
    }
}

async fn every_change_leaves_one_line(store: &(impl LinkStore + AuditTrail)) {
    let old = link("docs").expires(-1).build();
    let docs = link("docs").id("new").build();
    let mut edited = docs.clone();
    edited.revision = docs.revision.next();
    for (second, made) in [(0, &old), (1, &docs)] {
        let inserted = store.insert(&ALL, made, &note(second, CREATE)).await;
        inserted.expect("insert");
    }
    let known = Version::of(&docs);
    let updated = store.update(&edited, &known, &note(2, EDIT)).await;
    assert_eq!(updated.expect("update"), Update::Stored);
    let known = Version::of(&edited);
    let deletion = note(3, DELETE);
    let deleted = store.delete_version(&docs.key, &known, &deletion).await;
    assert_eq!(deleted.expect("delete"), Deletion::Deleted);
    let many = [
        link("a").build(),
        link("b").build(),
        link("a").id("x").build(),
    ];
    let imported = store.insert_many(&ALL, &many, &note(4, IMPORT)).await;
    imported.expect("insert");
    let removed = store.delete(&key("b"), &note(5, DELETE)).await;
    removed.expect("delete");

    let mut lines = all(store).await;
    lines.reverse();
    let seen: Vec<_> = lines.iter().map(summary).collect();
    assert_eq!(
        seen[..4],
        [
            (seconds(0), "link.create", "docs"),
            (seconds(1), "link.create", "docs"),
            (seconds(2), "link.edit", "docs"),
            (seconds(3), "link.delete", "docs"),
        ]
    );
    let imported: BTreeSet<_> = seen[4..6].iter().copied().collect();
    let expected = ["a", "b"].map(|name| (seconds(4), "link.import", name));
    assert_eq!(imported, BTreeSet::from(expected));
    assert_eq!(seen[6..], [(seconds(5), "link.delete", "b")]);
    for line in &lines {
        assert_eq!(line.author, author());
        assert_eq!(line.token, None);
    }
}

async fn what_changes_nothing_leaves_no_line(store: &(impl LinkStore + AuditTrail)) {
    let docs = link("docs").build();
    store.insert(&ALL, &docs, &NOTE).await.expect("insert");
    let before = all(store).await;
    assert_eq!(before.len(), 1);
    let taken = link("docs").id("x").build();
    let same_id = link("other").id(docs.id.as_str()).build();
    for refused in [&taken, &same_id] {
        store.insert(&ALL, refused, &NOTE).await.expect("insert");
    }
    let batch = store.insert_many(&ALL, &[taken, same_id], &NOTE).await;
    batch.expect("insert");
    store.insert_many(&ALL, &[], &NOTE).await.expect("insert");
    let other = with(Version::of(&docs), |it| it.revision = docs.revision.next());
    store.update(&docs, &other, &NOTE).await.expect("update");
    let outdated = store.delete_version(&docs.key, &other, &NOTE).await;
    outdated.expect("delete");
    let nobody = store.delete(&key("nobody"), &NOTE).await;
    nobody.expect("delete");
    assert_eq!(all(store).await, before);
}

async fn of_many_concurrent_changes_those_that_happened_leave_lines(
    store: &(impl LinkStore + AuditTrail),
) {
    let links: Vec<Link> = (0..40)
        .map(|i| link(&format!("s{}", i % 10)).id(&format!("id{i}")).build())
        .collect();
    let inserts = links.iter().map(|link| store.insert(&ALL, link, &NOTE));
    for inserted in join_all(inserts.collect()).await {
        inserted.expect("insert");
    }
    let slugs: Vec<String> = all(store).await.iter().map(key_of).collect();
    let distinct: BTreeSet<&String> = slugs.iter().collect();
    assert_eq!((slugs.len(), distinct.len()), (10, 10));
}

async fn lines_are_paged_without_gaps_the_newest_first(store: &(impl LinkStore + AuditTrail)) {
    // Many lines of one moment, and lines that come out of the order of their moments.
    for (moment, some) in [(5, 0..4), (9, 4..7), (5, 7..9), (-3, 9..10)] {
        let links: Vec<Link> = some.map(|i| link(&format!("s{i}")).build()).collect();
        let note = noted(seconds(moment));
        let inserted = store.insert_many(&ALL, &links, &note).await;
        inserted.expect("insert");
    }
    let whole = all(store).await;
    assert_eq!(whole.len(), 10);
    let order: Vec<_> = whole.iter().map(|line| (line.at, line.number)).collect();
    let is_sorted = order.is_sorted_by(|newer, older| newer > older);
    assert!(is_sorted, "{order:?}");
    let mut paged = Vec::new();
    let mut after = None;
    loop {
        let query = with(newest_lines(3), |it| it.after = after);
        let page = store.lines(&query).await.expect("lines");
        after = page.last().map(AuditPosition::after);
        if page.is_empty() {
            break;
        }
        paged.extend(page);
    }
    assert_eq!(paged, whole);
}

async fn lines_are_filtered(store: &(impl LinkStore + AuditTrail)) {
    for (moment, name) in [(0, "a"), (1, "b"), (2, "A")] {
        let made = link(name).id(&format!("id{moment}")).build();
        let inserted = store.insert(&ALL, &made, &note(moment, CREATE)).await;
        inserted.expect("insert");
    }
    let by_operator = with(noted(seconds(3)), |it| it.operation = DELETE);
    let deleted = store.delete(&key("a"), &by_operator).await;
    deleted.expect("delete");
    let everything = AuditFilter::default;
    let moment = |second: i64| Some(seconds(second).start());
    let cases: [(AuditFilter, &[&str]); 7] = [
        (
            with(everything(), |it| it.from = moment(1)),
            &["a", "A", "b"],
        ),
        (with(everything(), |it| it.until = moment(1)), &["a"]),
        (with(everything(), |it| it.keys = vec![key("A")]), &["A"]),
        (
            with(everything(), |it| it.keys = vec![key("a")]),
            &["a", "a"],
        ),
        (
            AuditFilter {
                caller: Some(Author::operator().caller),
                ..everything()
            },
            &["a"],
        ),
        (
            AuditFilter {
                until: moment(2),
                caller: Some(author().caller),
                ..everything()
            },
            &["b", "a"],
        ),
        (with(everything(), |it| it.operation = Some(DELETE)), &["a"]),
    ];
    for (filter, expected) in cases {
        let query = with(newest_lines(100), |it| it.filter = filter);
        let lines = store.lines(&query).await.expect("lines");
        let slugs: Vec<String> = lines.iter().map(key_of).collect();
        assert_eq!(slugs, expected, "{query:?}");
    }
}

async fn old_lines_are_removed_in_pieces(store: &(impl LinkStore + AuditTrail)) {
    for moment in [3, 1, 2, 4] {
        let made = link(&format!("s{moment}")).build();
        let inserted = store.insert(&ALL, &made, &noted(seconds(moment))).await;
        inserted.expect("insert");
    }
    let remove = async |limit| {
        let removed = store.remove_before(seconds(4).start(), limit).await;
        let left: Vec<String> = all(store).await.iter().map(key_of).collect();
        (removed.expect("remove"), left.join(" "))
    };
    assert_eq!(remove(0).await, (0, "s4 s3 s2 s1".to_owned()));
    assert_eq!(remove(2).await, (2, "s4 s3".to_owned()));
    assert_eq!(remove(2).await, (1, "s4".to_owned()));
    assert_eq!(remove(2).await, (0, "s4".to_owned()));
    // The links are untouched.
    assert!(store.find(&key("s1")).await.expect("find").is_some());
}

const CREATE: AuditedOperation = AuditedOperation::LinkCreate;
const EDIT: AuditedOperation = AuditedOperation::LinkEdit;
const DELETE: AuditedOperation = AuditedOperation::LinkDelete;
const IMPORT: AuditedOperation = AuditedOperation::LinkImport;

fn author() -> Author {
    Author {
        caller: CallerName::parse("CI bot").expect("a name"),
        client: Some(ClientTag::new(0xfeed)),
    }
}

fn note(moment: i64, operation: AuditedOperation) -> AuditNote {
    AuditNote {
        at: seconds(moment).start(),
        author: author(),
        operation,
    }
}

async fn all(store: &impl AuditTrail) -> Vec<AuditLine> {
    let query = newest_lines(10_000);
    store.lines(&query).await.expect("lines")
}

fn summary(line: &AuditLine) -> (UnixSeconds, &str, &str) {
    let slug = line.key.as_ref().map_or("", |key| key.slug.as_str());
    (line.at.second(), &line.operation, slug)
}

fn key_of(line: &AuditLine) -> String {
    let key = line.key.as_ref();
    key.map(ToString::to_string).unwrap_or_default()
}
