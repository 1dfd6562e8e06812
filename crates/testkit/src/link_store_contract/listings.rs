//! Listing links, and counting their tags.

use std::collections::BTreeSet;

use slugline_domain::{
    Binding, Link, LinkFilter, LinkId, LinkOrder, LinkStatus, ListQuery, Position, Reach,
    StatusFilter, Tag, ports::LinkStore,
};

use super::{
    searches::{found, with_text},
    shorthand::{all_that, everything, everywhere, keys, store},
};
use crate::{DeleteByKey, NOON, NOTE, key, link, tag, with};

pub(super) async fn listings_are_ordered_and_paged_without_gaps(store_: &impl LinkStore) {
    // Three links share a second, so the slug must break the tie.
    for (name, created) in [("b", 0), ("a", 0), ("c", 0), ("old", -10), ("new", 10)] {
        store(store_, &link(name).created(created).build()).await;
    }
    for (order, expected) in [
        (LinkOrder::Newest, ["new", "c", "b", "a", "old"]),
        (LinkOrder::Oldest, ["old", "a", "b", "c", "new"]),
        (LinkOrder::SlugAscending, ["a", "b", "c", "new", "old"]),
        (LinkOrder::SlugDescending, ["old", "new", "c", "b", "a"]),
    ] {
        let listed = keys(store_, with(everything(), |it| it.order = order)).await;
        assert_eq!(listed, expected);
        for limit in 1..=5 {
            let mut seen = Vec::new();
            let mut after = None;
            loop {
                let query = ListQuery {
                    order,
                    after,
                    limit,
                    ..everything()
                };
                let page = store_.list(&query).await.expect("list");
                let Some(last) = page.last() else { break };
                after = Some(Position::after(last));
                seen.extend(page.iter().map(|link| link.key.to_string()));
            }
            assert_eq!(seen, expected, "{order:?} by {limit}");
        }
    }
}

pub(super) async fn listings_filter_by_status_and_tag(store_: &impl LinkStore) {
    store(store_, &link("forever").tags(&["x", "y"]).build()).await;
    store(store_, &link("gone").tags(&["x"]).expires(0).build()).await;
    store(store_, &link("soon").tags(&["y", "z"]).expires(1).build()).await;
    let by = |status, tag_text: Option<&str>| ListQuery {
        order: LinkOrder::SlugAscending,
        ..all_that(LinkFilter {
            tag: tag_text.map(tag),
            status,
            ..everywhere()
        })
    };
    let expired = StatusFilter::Only(LinkStatus::Expired);
    for (status, tag, expected) in [
        (StatusFilter::Current, None, &["forever", "soon"][..]),
        (expired, None, &["gone"]),
        (StatusFilter::All, Some("x"), &["forever", "gone"]),
        (StatusFilter::Current, Some("x"), &["forever"]),
        (StatusFilter::All, Some("none"), &[]),
    ] {
        assert_eq!(keys(store_, by(status, tag)).await, expected, "{tag:?}");
    }
    let links = store_.list(&by(StatusFilter::Current, Some("y"))).await;
    let links = links.expect("list");
    let tags: Vec<&str> = links[0].content.tags.iter().map(Tag::as_str).collect();
    assert_eq!(tags, ["x", "y"], "a filter hides no other tag");
}

pub(super) async fn slugs_are_ordered_by_code_point(store_: &impl LinkStore) {
    for name in ["a", "B", "a-b", "ab", "1"] {
        store(store_, &link(name).build()).await;
    }
    let query = with(everything(), |it| it.order = LinkOrder::SlugAscending);
    assert_eq!(keys(store_, query).await, ["1", "B", "a", "a-b", "ab"]);
}

pub(super) async fn tags_are_counted_by_name(store_: &impl LinkStore) {
    store(store_, &link("a").tags(&["x", "b"]).build()).await;
    store(store_, &link("b").tags(&["x"]).expires(0).build()).await;
    let counts = store_.tags(&Reach::Everything, None).await.expect("tags");
    let shown: Vec<(&str, u64)> = counts
        .iter()
        .map(|count| (count.tag.as_str(), count.links))
        .collect();
    assert_eq!(shown, [("b", 1), ("x", 2)]);
}

pub(super) async fn a_binding_hides_all_other_links(store_: &impl LinkStore) {
    /// A reach, the slugs of its links, and its tags with their numbers of links.
    type Case<'a> = (Reach, &'a [&'a str], &'a [(&'a str, u64)]);

    for made in [
        link("both").id("both").tags(&["x", "y"]),
        link("gone").id("gone").tags(&["y"]).expires(0),
        link("named").id("named").tags(&["z"]),
        link("other").id("other").tags(&["z", "q"]),
        link("bare").id("bare"),
    ] {
        store(store_, &made.build()).await;
    }
    let binding = |ids: &[&str], tags: &[&str]| {
        let ids = ids.iter().map(|id| LinkId::parse(id).expect("an id"));
        let tags = tags.iter().copied().map(tag);
        Reach::bound(Binding::new(ids, tags, []).expect("a binding"))
    };
    let cases: [Case<'_>; 4] = [
        (
            binding(&[], &["y"]),
            &["both", "gone"],
            &[("x", 1), ("y", 2)],
        ),
        (binding(&["named"], &[]), &["named"], &[("z", 1)]),
        (
            binding(&["named", "both", "deleted"], &["y", "nobody's"]),
            &["both", "gone", "named"],
            &[("x", 1), ("y", 2), ("z", 1)],
        ),
        (binding(&["deleted"], &["nobody's"]), &[], &[]),
    ];
    for (reach, expected, tags) in cases {
        let filter = with(everywhere(), |it| it.reach.clone_from(&reach));
        let query = ListQuery {
            order: LinkOrder::SlugAscending,
            filter: filter.clone(),
            ..everything()
        };
        assert_eq!(keys(store_, query.clone()).await, expected, "{reach:?}");
        let some = ListQuery {
            filter: LinkFilter {
                keys: Some(["both", "other", "named"].map(key).to_vec()),
                ..filter.clone()
            },
            ..query
        };
        let reached = expected.iter().filter(|text| **text != "gone");
        let reached: Vec<&&str> = reached.collect();
        assert_eq!(
            keys(store_, some).await,
            reached.into_iter().copied().collect::<Vec<_>>()
        );
        let count = store_.count(&filter, NOON).await.expect("count");
        assert_eq!(usize::try_from(count), Ok(expected.len()), "{reach:?}");
        for text in ["o", "other", "both"] {
            let holding = with(filter.clone(), |it| it.text = with_text(text).text);
            let found_ = found(store_, &holding).await;
            let all = found(store_, &with_text(text)).await.into_iter();
            let inside = all.filter(|slug| expected.contains(&slug.as_str()));
            assert_eq!(found_, inside.collect::<Vec<_>>(), "{reach:?} {text}");
        }
        let counts = store_.tags(&reach, None).await.expect("tags");
        let shown = counts.iter().map(|count| (count.tag.as_str(), count.links));
        assert_eq!(shown.collect::<Vec<_>>(), tags, "{reach:?}");
    }
}

pub(super) async fn links_are_found_by_any_of_their_tags(store_: &impl LinkStore) {
    let both = link("both").tags(&["x", "y"]).build();
    let gone = link("gone").tags(&["y"]).expires(0).build();
    let other = link("other").tags(&["z", "x, y"]).build();
    for link in [&both, &gone, &other, &link("bare").build()] {
        store(store_, link).await;
    }
    let tagged = async |tags: &[&str], limit| {
        let tags = tags.iter().copied().map(tag).collect();
        store_.tagged(&tags, limit).await.expect("find by tags")
    };
    let ids = |links: &[&Link]| links.iter().map(|link| link.id.clone()).collect();
    let expected: [(&[&str], BTreeSet<_>); 5] = [
        (&["x"], ids(&[&both])),
        (&["x", "y"], ids(&[&both, &gone])),
        (&["x, y", "nobody's"], ids(&[&other])),
        (&["nobody's"], ids(&[])),
        (&[], ids(&[])),
    ];
    for (tags, expected) in expected {
        assert_eq!(tagged(tags, 9).await, expected, "{tags:?}");
    }
    assert_eq!(tagged(&["x", "y", "z"], 2).await.len(), 2);
    store_.delete(&key("both"), &NOTE).await.expect("delete");
    assert_eq!(tagged(&["x"], 9).await, ids(&[]));
}

pub(super) async fn listings_filter_by_text_and_slugs_in_any_order(store_: &impl LinkStore) {
    for (name, comment, created) in [
        ("a", "spring sale", 1),
        ("b", "Spring", 3),
        ("c", "autumn", 2),
        ("d", "spring", 4),
    ] {
        let link = link(name).comment(comment).created(created).build();
        store(store_, &link).await;
    }
    store(store_, &link("gone").comment("spring").expires(0).build()).await;
    let some: Vec<_> = ["c", "a", "b", "unknown", "A", "gone"].map(key).into();
    let active = LinkFilter::default();
    for (filter, expected) in [
        (with_text("SPRING"), vec!["d", "b", "a", "gone"]),
        (
            with(active.clone(), |it| it.keys = Some(some.clone())),
            vec!["b", "c", "a"],
        ),
        (
            with(with_text("spring"), |it| it.keys = Some(some)),
            vec!["b", "a", "gone"],
        ),
        (with(everywhere(), |it| it.keys = Some(Vec::new())), vec![]),
    ] {
        let mut paged = Vec::new();
        let mut after = None;
        loop {
            let query = ListQuery {
                after,
                limit: 1,
                ..all_that(filter.clone())
            };
            let page = store_.list(&query).await.expect("list");
            let Some(last) = page.last() else { break };
            after = Some(Position::after(last));
            paged.push(last.key.to_string());
        }
        assert_eq!(paged, expected, "{filter:?}");
        let mut by_slug = expected;
        by_slug.sort_unstable();
        assert_eq!(found(store_, &filter).await, by_slug, "{filter:?}");
        let query = with(all_that(filter), |it| it.order = LinkOrder::SlugDescending);
        by_slug.reverse();
        assert_eq!(keys(store_, query).await, by_slug);
    }
}
