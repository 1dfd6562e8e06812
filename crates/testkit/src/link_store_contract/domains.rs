//! Links of several domains.

use std::collections::BTreeSet;

use slugline_domain::{
    AuditFilter, AuditQuery, Binding, DomainName, Link, LinkFilter, LinkId, LinkOrder, ListQuery,
    Position, Reach,
    ports::{AuditTrail, Deletion, Insertion, LinkStore, Update, Version},
};

use super::{
    searches::{found, with_text},
    shorthand::{everything, everywhere, is_there, keys, store, store_all},
};
use crate::{ALL, DeleteByKey, NOON, NOTE, key, link, newest_lines, tag, with};

fn domain(text: &str) -> DomainName {
    DomainName::parse(text).expect("a domain")
}

pub(super) async fn one_slug_in_two_domains_is_two_links(store_: &impl LinkStore) {
    let here = link("docs").to("https://here.example/").build();
    let there = link("go.example/docs").to("https://there.example/").build();
    for link in [&here, &there] {
        store(store_, link).await;
        let taken = Link {
            id: LinkId::parse("other").expect("an id"),
            ..link.clone()
        };
        let outcome = store_.insert(&ALL, &taken, &NOTE).await.expect("insert");
        assert_eq!(outcome, Insertion::SlugTaken);
    }
    for link in [&here, &there] {
        is_there(store_, link).await;
        let one = store_.follow(&link.key).await.expect("follow");
        assert_eq!(one, Some(link.into()));
    }
    for unknown in ["b.example/docs", "nowhere.example/docs", "go.example/Docs"] {
        assert_eq!(store_.find(&key(unknown)).await.expect("find"), None);
        assert_eq!(store_.follow(&key(unknown)).await.expect("follow"), None);
        let deleted = store_.delete(&key(unknown), &NOTE).await.expect("delete");
        assert_eq!(deleted, None);
    }

    let known = Version::of(&here);
    let elsewhere = store_.delete_version(&there.key, &known, &NOTE).await;
    assert_eq!(elsewhere.expect("delete"), Deletion::Outdated);
    let mut edited = link("go.example/docs").to("https://new.example/").build();
    edited.revision = there.revision.next();
    let updated = store_.update(&edited, &Version::of(&there), &NOTE).await;
    assert_eq!(updated.expect("update"), Update::Stored);
    let same = store_.find(&here.key).await.expect("find");
    assert_eq!(same.as_ref(), Some(&here), "the other link stays");
    let deleted = store_.delete(&here.key, &NOTE).await.expect("delete");
    assert_eq!(deleted, Some(here.clone()));
    assert_eq!(store_.find(&here.key).await.expect("find"), None);
    let left = store_.find(&there.key).await.expect("find");
    assert_eq!(left, Some(edited));

    let ended = link("b.example/docs").id("old").expires(-1).build();
    store(store_, &ended).await;
    let heir = link("b.example/docs").id("new").build();
    store(store_, &heir).await;
    is_there(store_, &heir).await;
}

pub(super) async fn a_link_needs_a_domain_that_is_named(store_: &impl LinkStore) {
    let nowhere = link("nowhere.example/docs").build();
    let outcome = store_.insert(&ALL, &nowhere, &NOTE).await.expect("insert");
    assert_eq!(outcome, Insertion::NoDomain);
    let batch = [
        nowhere.clone(),
        link("docs").build(),
        link("go.example/docs").build(),
    ];
    let outcomes = store_all(store_, &batch).await;
    let [_, here, there] = &batch;
    assert_eq!(
        outcomes,
        [Insertion::NoDomain, Insertion::Stored, Insertion::Stored]
    );
    assert_eq!(store_.find(&nowhere.key).await.expect("find"), None);
    for link in [here, there] {
        is_there(store_, link).await;
    }
}

pub(super) async fn a_batch_goes_into_several_domains(store_: &impl LinkStore) {
    let batch: Vec<Link> = ["docs", "go.example/docs", "b.example/docs", "go.example/a"]
        .iter()
        .map(|text| link(text).tags(&["t"]).build())
        .collect();
    for expected in [Insertion::Stored, Insertion::SlugTaken] {
        let outcomes = store_all(store_, &batch).await;
        assert_eq!(outcomes, vec![expected; batch.len()]);
    }
    let twice = [
        link("b.example/new").id("one").build(),
        link("go.example/new").id("two").build(),
        link("go.example/new").id("three").build(),
        link("b.example/other").id("two").build(),
    ];
    let outcomes = store_all(store_, &twice).await;
    let (taken, refused) = outcomes.split_at(2);
    assert_eq!(taken, [Insertion::Stored; 2]);
    assert_eq!(refused, [Insertion::SlugTaken, Insertion::IdTaken]);
    let listed = keys(store_, by_key(everywhere())).await.join(" ");
    let expected = "docs b.example/docs b.example/new go.example/a go.example/docs go.example/new";
    assert_eq!(listed, expected);
}

fn by_key(filter: LinkFilter) -> slugline_domain::ListQuery {
    ListQuery {
        order: LinkOrder::SlugAscending,
        filter,
        ..everything()
    }
}

/// Links of all domains, some of which were made in the same second.
async fn spread(store_: &impl LinkStore) {
    for (text, created) in [
        ("b", 0),
        ("go.example/a", 0),
        ("b.example/c", 0),
        ("a", 5),
        ("go.example/new", 10),
        ("go.example/old", -10),
        ("b.example/a", -10),
        ("z", -10),
    ] {
        let made = link(text).created(created).tags(&["x"]);
        store(store_, &made.build()).await;
    }
}

pub(super) async fn lists_of_all_domains_are_ordered_and_paged_without_gaps(
    store_: &impl LinkStore,
) {
    spread(store_).await;
    let words = |text: &'static str| text.split(' ').collect::<Vec<_>>();
    let by_key = words("a b z b.example/a b.example/c go.example/a go.example/new go.example/old");
    let backwards: Vec<_> = by_key.iter().rev().copied().collect();
    let oldest = words("z b.example/a go.example/old b b.example/c go.example/a a go.example/new");
    let newest = oldest.iter().rev().copied().collect();
    let named = Binding::new([], [], [domain("go.example"), domain("b.example")]);
    let filters = [
        (everywhere(), None),
        (with(everywhere(), |it| it.tag = Some(tag("x"))), None),
        (with_text("example.com"), None),
        (
            with(everywhere(), |it| it.domain = Some(domain(""))),
            Some(""),
        ),
        (
            with(everywhere(), |it| it.domain = Some(domain("go.example"))),
            Some("go.example/"),
        ),
        (
            LinkFilter {
                reach: Reach::bound(named.expect("a binding")),
                ..everywhere()
            },
            Some(".example/"),
        ),
    ];
    for (order, expected) in [
        (LinkOrder::SlugAscending, by_key),
        (LinkOrder::SlugDescending, backwards),
        (LinkOrder::Newest, newest),
        (LinkOrder::Oldest, oldest),
    ] {
        for (filter, part) in &filters {
            let expected: Vec<&str> = expected
                .iter()
                .copied()
                .filter(|text| match part {
                    None => true,
                    Some("") => !text.contains('/'),
                    Some(part) => text.contains(part),
                })
                .collect();
            for limit in 1..=9 {
                let mut seen: Vec<String> = Vec::new();
                let mut after = None;
                loop {
                    let query = ListQuery {
                        order,
                        filter: filter.clone(),
                        after,
                        limit,
                        ..everything()
                    };
                    let page = store_.list(&query).await.expect("list");
                    let Some(last) = page.last() else { break };
                    after = Some(Position::after(last));
                    seen.extend(page.iter().map(|link| link.key.to_string()));
                }
                assert_eq!(seen, expected, "{order:?} by {limit} {filter:?}");
            }
        }
    }
}

pub(super) async fn lists_searches_and_counts_are_of_one_domain_or_of_all(store_: &impl LinkStore) {
    let all = [
        "docs",
        "b.example/docs",
        "go.example/docs",
        "go.example/news",
    ];
    for text in all {
        let made = link(text).tags(&["x", text.split('/').next_back().expect("a part")]);
        store(store_, &made.build()).await;
    }
    let go = with(everywhere(), |it| it.domain = Some(domain("go.example")));
    let default = with(everywhere(), |it| it.domain = Some(DomainName::DEFAULT));
    let some = ["go.example/docs", "docs", "go.example/none"].map(key);
    for (filter, expected) in [
        (everywhere(), &all[..]),
        (go.clone(), &all[2..]),
        (default.clone(), &all[..1]),
        (
            LinkFilter {
                domain: Some(domain("nowhere.example")),
                ..everywhere()
            },
            &[],
        ),
        (
            with(everywhere(), |it| it.tag = Some(tag("docs"))),
            &all[..3],
        ),
        (
            with(go.clone(), |it| it.tag = Some(tag("docs"))),
            &all[2..3],
        ),
        (with(default.clone(), |it| it.tag = Some(tag("news"))), &[]),
        // The host is no part of the searched texts.
        (with_text("go.example"), &[]),
        (with_text("docs"), &all[..3]),
        (
            LinkFilter {
                domain: Some(domain("go.example")),
                ..with_text("docs")
            },
            &all[2..3],
        ),
        (
            with(with_text("do"), |it| it.domain = Some(DomainName::DEFAULT)),
            &all[..1],
        ),
        (
            with(everywhere(), |it| it.keys = Some(some.to_vec())),
            &[all[0], all[2]],
        ),
        (
            with(go.clone(), |it| it.keys = Some(some.to_vec())),
            &all[2..3],
        ),
    ] {
        assert_eq!(found(store_, &filter).await, expected, "{filter:?}");
        assert_eq!(keys(store_, by_key(filter.clone())).await, expected);
    }
    let tags = async |domain: Option<DomainName>| {
        let counted = store_.tags(&Reach::Everything, domain.as_ref()).await;
        let counted = counted.expect("tags").into_iter();
        let counted = counted.map(|count| format!("{} {}", count.tag, count.links));
        counted.collect::<Vec<_>>()
    };
    assert_eq!(tags(None).await, ["docs 3", "news 1", "x 4"]);
    let of_go = tags(Some(domain("go.example"))).await;
    assert_eq!(of_go, ["docs 1", "news 1", "x 2"]);
    let of_default = tags(Some(DomainName::DEFAULT)).await;
    assert_eq!(of_default, ["docs 1", "x 1"]);
}

pub(super) async fn a_binding_to_domains_hides_the_links_of_others(store_: &impl LinkStore) {
    for (text, tags) in [
        ("docs", &["x"][..]),
        ("go.example/docs", &["x"]),
        ("go.example/bare", &[]),
        ("b.example/docs", &["y"]),
        ("b.example/gone", &["x"]),
    ] {
        let made = link(text).tags(tags);
        let made = if text.ends_with("gone") {
            made.expires(-1)
        } else {
            made
        };
        store(store_, &made.build()).await;
    }
    let bound = |ids: &[&str], tags: &[&str], domains: &[&str]| {
        let ids = ids.iter().map(|id| LinkId::parse(id).expect("an id"));
        let tags = tags.iter().copied().map(tag);
        let domains = domains.iter().map(|name| domain(name));
        Reach::bound(Binding::new(ids, tags, domains).expect("a binding"))
    };
    let cases: [(Reach, &[&str], &[&str]); 5] = [
        (
            bound(&[], &[], &["go.example"]),
            &["go.example/bare", "go.example/docs"],
            &["x 1"],
        ),
        (
            bound(&[], &["x"], &["go.example", "b.example"]),
            &["b.example/gone", "go.example/docs"],
            &["x 2"],
        ),
        (
            bound(&["id-docs", "id-b-example-docs"], &["x"], &[""]),
            &["docs"],
            &["x 1"],
        ),
        (
            bound(&[], &["x"], &[]),
            &["docs", "b.example/gone", "go.example/docs"],
            &["x 3"],
        ),
        (bound(&[], &[], &["nowhere.example"]), &[], &[]),
    ];
    for (reach, expected, tags) in cases {
        let filter = with(everywhere(), |it| it.reach.clone_from(&reach));
        assert_eq!(found(store_, &filter).await, expected, "{reach:?}");
        let newest = with(everything(), |it| it.filter.clone_from(&filter));
        let listed: BTreeSet<String> = keys(store_, newest).await.into_iter().collect();
        let all: BTreeSet<String> = expected.iter().map(ToString::to_string).collect();
        assert_eq!(listed, all, "{reach:?}");
        let some = LinkFilter {
            keys: Some(
                ["docs", "go.example/docs", "b.example/docs"]
                    .map(key)
                    .to_vec(),
            ),
            ..filter.clone()
        };
        let chosen: Vec<&&str> = expected
            .iter()
            .filter(|key| key.ends_with("docs"))
            .collect();
        let found_ = found(store_, &some).await;
        assert_eq!(found_.iter().collect::<Vec<_>>(), chosen, "{reach:?}");
        let of_go = with(filter, |it| it.domain = Some(domain("go.example")));
        let of_go = found(store_, &of_go).await;
        assert_eq!(
            of_go.len(),
            expected.iter().filter(|key| key.starts_with("go")).count()
        );
        let counts = store_.tags(&reach, None).await.expect("tags").into_iter();
        let counts = counts.map(|count| format!("{} {}", count.tag, count.links));
        assert_eq!(counts.collect::<Vec<_>>(), tags, "{reach:?}");
    }
    let heir = link("b.example/gone").id("heir").tags(&["x"]).build();
    let outside = bound(&[], &["x"], &["go.example"]);
    let outcome = store_.insert(&outside, &heir, &NOTE).await;
    assert_eq!(outcome.expect("insert"), Insertion::SlugTaken);
    let inside = bound(&[], &[], &["b.example"]);
    let heir = std::slice::from_ref(&heir);
    for (reach, expected) in [(outside, Insertion::SlugTaken), (inside, Insertion::Stored)] {
        let outcomes = store_.insert_many(&reach, heir, &NOTE).await;
        assert_eq!(outcomes.expect("insert"), [expected]);
    }
    assert_eq!(store_.count(&everywhere(), NOON).await.expect("count"), 5);
}

pub(super) async fn lines_tell_links_of_two_domains_apart(store_: &(impl LinkStore + AuditTrail)) {
    for text in ["docs", "go.example/docs"] {
        store(store_, &link(text).build()).await;
    }
    let batch = [link("go.example/many").build(), link("many").build()];
    store_all(store_, &batch).await;
    let deleted = store_.delete(&key("go.example/docs"), &NOTE).await;
    deleted.expect("delete");
    let about = async |keys: &[&str]| {
        let keys = keys.iter().map(|text| key(text)).collect();
        let query = AuditQuery {
            filter: with(AuditFilter::default(), |it| it.keys = keys),
            ..newest_lines(100)
        };
        let lines = store_.lines(&query).await.expect("lines").into_iter();
        let keys = lines.filter_map(|line| Some(line.key?.to_string()));
        keys.collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    };
    let all = ["docs", "go.example/docs", "go.example/many", "many"];
    assert_eq!(about(&[]).await, all);
    assert_eq!(about(&["docs"]).await, ["docs"]);
    assert_eq!(about(&["go.example/docs"]).await, ["go.example/docs"]);
    assert_eq!(about(&["b.example/docs"]).await, [""; 0]);
    let query = AuditQuery {
        filter: AuditFilter {
            keys: vec![key("go.example/docs")],
            ..AuditFilter::default()
        },
        ..newest_lines(100)
    };
    assert_eq!(store_.lines(&query).await.expect("lines").len(), 2);
}
