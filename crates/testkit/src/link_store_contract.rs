//! The contract of every [`LinkStore`]. A back end calls [`run_suite`] with a
//! function that makes an empty store. A violated clause panics with its name.

use std::{future::Future, sync::Arc};

use slugline_domain::{
    Country, Delivery, Description, ImageRef, Link, LinkFilter, LinkOrder, ListQuery, Position,
    Preview, Routing, SearchText, StatusFilter, Tag, Title,
    ports::{Insertion, LinkStore, Update, Version},
};

use crate::{NOON, destination, link, seconds, slug, tag};

/// Runs every clause, each on its own store.
///
/// # Panics
/// A clause is violated.
pub async fn run_suite<S, F>(empty_store: impl Fn() -> F)
where
    S: LinkStore + 'static,
    F: Future<Output = S>,
{
    a_stored_link_is_found_unchanged_with_its_tags_sorted(&empty_store().await).await;
    an_unknown_slug_is_absent_not_an_error(&empty_store().await).await;
    spelling_matters(&empty_store().await).await;
    an_active_link_keeps_its_slug(&empty_store().await).await;
    an_expired_link_gives_up_its_slug_and_its_tags(&empty_store().await).await;
    a_link_that_the_instance_ended_is_expired(&empty_store().await).await;
    an_id_belongs_to_one_link(&empty_store().await).await;
    of_many_concurrent_inserts_one_wins(Arc::new(empty_store().await)).await;
    many_links_are_inserted_as_if_one_after_the_other(&empty_store().await).await;
    a_batch_may_be_large_or_empty(&empty_store().await).await;
    of_concurrent_batches_each_slug_has_one_winner(Arc::new(empty_store().await)).await;
    an_update_replaces_everything_but_the_identity(&empty_store().await).await;
    an_update_of_an_outdated_version_changes_nothing(&empty_store().await).await;
    of_many_concurrent_updates_one_wins(Arc::new(empty_store().await)).await;
    a_deleted_link_is_gone_with_its_tags(&empty_store().await).await;
    listings_are_ordered_and_paged_without_gaps(&empty_store().await).await;
    listings_filter_by_status_and_tag(&empty_store().await).await;
    slugs_are_ordered_by_code_point(&empty_store().await).await;
    searches_find_text_anywhere_without_regard_to_case(&empty_store().await).await;
    searches_meet_every_condition(&empty_store().await).await;
    a_changed_link_is_found_by_its_new_text_only(&empty_store().await).await;
    tags_are_counted_by_name(&empty_store().await).await;
    empty_store()
        .await
        .ping()
        .await
        .expect("a fresh store answers");
}

async fn store(store: &impl LinkStore, link: &Link) {
    assert_eq!(
        store.insert(link, NOON).await.expect("insert"),
        Insertion::Stored,
        "{}",
        link.slug
    );
}

fn everything() -> ListQuery {
    ListQuery {
        now: NOON,
        order: LinkOrder::Newest,
        status: StatusFilter::All,
        tag: None,
        after: None,
        limit: 100,
    }
}

async fn slugs(store: &impl LinkStore, query: ListQuery) -> Vec<String> {
    let links = store.list(&query).await.expect("list");
    links
        .into_iter()
        .map(|link| link.slug.to_string())
        .collect()
}

async fn a_stored_link_is_found_unchanged_with_its_tags_sorted(store_: &impl LinkStore) {
    let mut full = link("Full-1")
        .to("https://example.com/ünï?q='\"%_\\")
        .comment("it's; DROP TABLE links --\u{1f600}")
        .tags(&["zebra", "ähre", "a"])
        .expires(3600)
        .password("$argon2id$v=19$stored")
        .build();
    full.updated_at = seconds(5);
    full.revision = full.revision.next();
    full.ends_at = Some(seconds(1800));
    full.content.flagged_unsafe = Some(false);
    full.content.preview = Preview {
        title: Some(Title::parse("Title").expect("short")),
        description: Some(Description::parse("").expect("short")),
        image: Some(ImageRef::parse("/a.png").expect("short")),
    };
    full.content.routing = Routing {
        apple: Some(destination("https://apps.example/a")),
        google: Some(destination("https://apps.example/g")),
        geo: [("DE", "https://example.de/"), ("AT", "https://example.at/")]
            .into_iter()
            .map(|(code, url)| (Country::parse(code).expect("code"), destination(url)))
            .collect(),
        with_query: Some(true),
    };
    full.content.delivery = Delivery {
        cloaking: Some(true),
        proxy: Some(false),
    };
    let plain = link("plain").build();
    store(store_, &full).await;
    store(store_, &plain).await;

    full.content.tags = full.content.tags.sorted();
    assert_eq!(store_.find(&full.slug).await.expect("find"), Some(full));
    assert_eq!(store_.find(&plain.slug).await.expect("find"), Some(plain));
}

async fn an_unknown_slug_is_absent_not_an_error(store_: &impl LinkStore) {
    assert_eq!(store_.find(&slug("nowhere")).await.expect("find"), None);
    assert_eq!(store_.delete(&slug("nowhere")).await.expect("delete"), None);
    assert_eq!(slugs(store_, everything()).await, Vec::<String>::new());
}

async fn spelling_matters(store_: &impl LinkStore) {
    store(store_, &link("Docs").id("upper").build()).await;
    store(store_, &link("docs").id("lower").build()).await;
    let found = store_
        .find(&slug("Docs"))
        .await
        .expect("find")
        .expect("it is there");
    assert_eq!(found.id.as_str(), "upper");
    assert_eq!(store_.find(&slug("DOCS")).await.expect("find"), None);
}

async fn an_active_link_keeps_its_slug(store_: &impl LinkStore) {
    let first = link("docs").id("first").expires(1).build();
    store(store_, &first).await;
    let second = link("docs").id("second").build();
    let outcome = store_.insert(&second, NOON).await.expect("insert");
    assert_eq!(outcome, Insertion::SlugTaken);
    assert_eq!(store_.find(&first.slug).await.expect("find"), Some(first));
}

async fn an_expired_link_gives_up_its_slug_and_its_tags(store_: &impl LinkStore) {
    store(
        store_,
        &link("docs").id("old").tags(&["old"]).expires(0).build(),
    )
    .await;
    let new = link("docs").id("new").tags(&["new"]).build();
    store(store_, &new).await;
    assert_eq!(store_.find(&new.slug).await.expect("find"), Some(new));
    let by_old_tag = ListQuery {
        tag: Some(tag("old")),
        ..everything()
    };
    assert_eq!(slugs(store_, by_old_tag).await, Vec::<String>::new());
}

async fn a_link_that_the_instance_ended_is_expired(store_: &impl LinkStore) {
    let mut ended = link("docs").id("old").expires(99).build();
    ended.ends_at = Some(NOON);
    store(store_, &ended).await;
    let by = |status| ListQuery {
        status,
        ..everything()
    };
    assert_eq!(slugs(store_, by(StatusFilter::Expired)).await, ["docs"]);
    assert_eq!(
        slugs(store_, by(StatusFilter::Active)).await,
        Vec::<String>::new()
    );
    let new = link("docs").id("new").build();
    store(store_, &new).await;
    assert_eq!(store_.find(&new.slug).await.expect("find"), Some(new));
}

async fn an_id_belongs_to_one_link(store_: &impl LinkStore) {
    store(store_, &link("a").id("same").build()).await;
    let outcome = store_
        .insert(&link("b").id("same").build(), NOON)
        .await
        .expect("insert");
    assert_eq!(outcome, Insertion::IdTaken);
    assert_eq!(store_.find(&slug("b")).await.expect("find"), None);
}

async fn of_many_concurrent_inserts_one_wins<S: LinkStore>(store_: Arc<S>) {
    let links: Vec<Link> = (0..8)
        .map(|i| {
            link("race")
                .id(&format!("racer-{i}"))
                .tags(&[&format!("t{i}")])
                .build()
        })
        .collect();
    let attempts: Vec<_> = links.iter().map(|link| store_.insert(link, NOON)).collect();
    let outcomes = join_all(attempts).await;
    let winners: Vec<usize> = (0..outcomes.len())
        .filter(|i| *outcomes[*i].as_ref().expect("insert") == Insertion::Stored)
        .collect();
    assert_eq!(winners.len(), 1, "{outcomes:?}");
    let winner = store_
        .find(&slug("race"))
        .await
        .expect("find")
        .expect("one is stored");
    assert_eq!(winner, links[winners[0]]);
}

async fn many_links_are_inserted_as_if_one_after_the_other(store_: &impl LinkStore) {
    let active = link("active").build();
    let expired = link("expired").expires(-1).tags(&["old"]).build();
    let kept = link("kept").expires(-1).tags(&["old"]).build();
    for stored in [&active, &expired, &kept] {
        store(store_, stored).await;
    }
    let freed = expired.id.as_str();
    let batch = [
        (link("new").tags(&["b", "a"]).build(), Insertion::Stored),
        (link("active").id("x1").build(), Insertion::SlugTaken),
        (
            link("expired").id("x2").tags(&["c"]).build(),
            Insertion::Stored,
        ),
        (link("new").id("x3").build(), Insertion::SlugTaken),
        (
            link("past").id("x4").expires(-1).tags(&["p"]).build(),
            Insertion::Stored,
        ),
        (link("past").id("x5").build(), Insertion::Stored),
        (
            link("kept").id(active.id.as_str()).build(),
            Insertion::IdTaken,
        ),
        (link("other").id("id-new").build(), Insertion::IdTaken),
        (link("heir").id(freed).build(), Insertion::Stored),
        (link("Active").id("x6").build(), Insertion::Stored),
    ];
    let (links, expected): (Vec<Link>, Vec<Insertion>) = batch.into_iter().unzip();
    let outcomes = store_.insert_many(&links, NOON).await.expect("insert");
    assert_eq!(outcomes, expected);

    let all = ListQuery {
        order: LinkOrder::SlugAscending,
        ..everything()
    };
    let listed = store_.list(&all).await.expect("list");
    let sorted = |mut link: Link| {
        link.content.tags = link.content.tags.sorted();
        link
    };
    let expected = [
        links[9].clone(),
        active,
        links[2].clone(),
        links[8].clone(),
        kept,
        sorted(links[0].clone()),
        links[5].clone(),
    ];
    assert_eq!(listed, expected);
    let tags = store_.tags().await.expect("tags");
    let names: Vec<&str> = tags.iter().map(|count| count.tag.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "old"]);
    let found = LinkFilter {
        text: Some(SearchText::parse("heir").expect("short")),
        ..everywhere()
    };
    assert_eq!(store_.count(&found, NOON).await.expect("count"), 1);
}

async fn a_batch_may_be_large_or_empty(store_: &impl LinkStore) {
    assert_eq!(store_.insert_many(&[], NOON).await.expect("insert"), []);
    let links: Vec<Link> = (0..1_200)
        .map(|i| {
            link(&format!("s{i}"))
                .tags(&["a", "b", "c", "d", "e", "f", "g", "h", "i"])
                .build()
        })
        .collect();
    for expected in [Insertion::Stored, Insertion::SlugTaken] {
        let outcomes = store_.insert_many(&links, NOON).await.expect("insert");
        assert_eq!(outcomes, vec![expected; links.len()]);
    }
    for count in store_.tags().await.expect("tags") {
        assert_eq!(count.links, 1_200, "{}", count.tag);
    }
}

async fn of_concurrent_batches_each_slug_has_one_winner<S: LinkStore>(store_: Arc<S>) {
    store(store_.as_ref(), &link("s7").id("old").expires(-1).build()).await;
    let batch = |writer: usize| {
        let mut links: Vec<Link> = (0..50)
            .map(|i| link(&format!("s{i}")).id(&format!("w{writer}-{i}")).build())
            .collect();
        links.rotate_left(writer * 10);
        links
    };
    let batches: Vec<Vec<Link>> = (0..4).map(batch).collect();
    let attempts: Vec<_> = batches
        .iter()
        .map(|links| store_.insert_many(links, NOON))
        .collect();
    let outcomes = join_all(attempts).await.into_iter();
    let winners = outcomes
        .flat_map(|outcomes| outcomes.expect("insert"))
        .filter(|outcome| *outcome == Insertion::Stored)
        .count();
    assert_eq!(winners, 50);
    assert_eq!(store_.count(&everywhere(), NOON).await.expect("count"), 50);
}

async fn an_update_replaces_everything_but_the_identity(store_: &impl LinkStore) {
    let old = link("docs")
        .comment("old")
        .tags(&["a", "b"])
        .password("hash")
        .expires(9)
        .build();
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

async fn an_update_of_an_outdated_version_changes_nothing(store_: &impl LinkStore) {
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

async fn of_many_concurrent_updates_one_wins<S: LinkStore>(store_: Arc<S>) {
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

async fn a_deleted_link_is_gone_with_its_tags(store_: &impl LinkStore) {
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

async fn listings_are_ordered_and_paged_without_gaps(store_: &impl LinkStore) {
    // Three links share a second, so the slug must break the tie.
    for (name, created) in [("b", 0), ("a", 0), ("c", 0), ("old", -10), ("new", 10)] {
        store(store_, &link(name).created(created).build()).await;
    }
    for (order, expected) in [
        (LinkOrder::Newest, ["new", "a", "b", "c", "old"]),
        (LinkOrder::Oldest, ["old", "a", "b", "c", "new"]),
        (LinkOrder::SlugAscending, ["a", "b", "c", "new", "old"]),
        (LinkOrder::SlugDescending, ["old", "new", "c", "b", "a"]),
    ] {
        assert_eq!(
            slugs(
                store_,
                ListQuery {
                    order,
                    ..everything()
                }
            )
            .await,
            expected
        );
        for limit in 1..=5 {
            let mut seen = Vec::new();
            let mut after = None;
            loop {
                let query = ListQuery {
                    order,
                    limit,
                    after,
                    ..everything()
                };
                let page = store_.list(&query).await.expect("list");
                let Some(last) = page.last() else { break };
                after = Some(Position::after(last));
                seen.extend(page.iter().map(|link| link.slug.to_string()));
            }
            assert_eq!(seen, expected, "{order:?} by {limit}");
        }
    }
}

async fn listings_filter_by_status_and_tag(store_: &impl LinkStore) {
    store(store_, &link("forever").tags(&["x", "y"]).build()).await;
    store(store_, &link("gone").tags(&["x"]).expires(0).build()).await;
    store(store_, &link("soon").tags(&["y", "z"]).expires(1).build()).await;
    let by = |status, tag_text: Option<&str>| ListQuery {
        order: LinkOrder::SlugAscending,
        status,
        tag: tag_text.map(tag),
        ..everything()
    };
    assert_eq!(
        slugs(store_, by(StatusFilter::Active, None)).await,
        ["forever", "soon"]
    );
    assert_eq!(
        slugs(store_, by(StatusFilter::Expired, None)).await,
        ["gone"]
    );
    assert_eq!(
        slugs(store_, by(StatusFilter::All, Some("x"))).await,
        ["forever", "gone"]
    );
    assert_eq!(
        slugs(store_, by(StatusFilter::Active, Some("x"))).await,
        ["forever"]
    );
    assert_eq!(
        slugs(store_, by(StatusFilter::All, Some("none"))).await,
        Vec::<String>::new()
    );
    let links = store_
        .list(&by(StatusFilter::Active, Some("y")))
        .await
        .expect("list");
    let tags: Vec<&str> = links[0].content.tags.iter().map(Tag::as_str).collect();
    assert_eq!(
        tags,
        ["x", "y"],
        "a tag filter must not hide the other tags"
    );
}

async fn slugs_are_ordered_by_code_point(store_: &impl LinkStore) {
    for name in ["a", "B", "a-b", "ab", "1"] {
        store(store_, &link(name).build()).await;
    }
    let query = ListQuery {
        order: LinkOrder::SlugAscending,
        ..everything()
    };
    assert_eq!(slugs(store_, query).await, ["1", "B", "a", "a-b", "ab"]);
}

fn everywhere() -> LinkFilter {
    LinkFilter {
        status: StatusFilter::All,
        ..LinkFilter::default()
    }
}

fn with_text(text: &str) -> LinkFilter {
    LinkFilter {
        text: Some(SearchText::parse(text).expect("a search")),
        ..everywhere()
    }
}

/// The slugs found, after checking that the count agrees.
async fn found(store: &impl LinkStore, filter: &LinkFilter) -> Vec<String> {
    let links = store.search(filter, NOON, 100).await.expect("search");
    let count = store.count(filter, NOON).await.expect("count");
    assert_eq!(
        u64::try_from(links.len()).expect("few links"),
        count,
        "{filter:?}"
    );
    links
        .into_iter()
        .map(|link| link.slug.to_string())
        .collect()
}

async fn searches_find_text_anywhere_without_regard_to_case(store_: &impl LinkStore) {
    store(
        store_,
        &link("Alpha").to("https://news.example/Path?q=1").build(),
    )
    .await;
    store(
        store_,
        &link("beta")
            .comment("Über 50%_x! alles")
            .tags(&["grün"])
            .build(),
    )
    .await;
    store(store_, &link("gamma").tags(&["alphabet"]).build()).await;
    for (text, slugs) in [
        ("alpha", vec!["Alpha", "gamma"]),
        ("ALPHA", vec!["Alpha", "gamma"]),
        ("news.example/path?Q=1", vec!["Alpha"]),
        ("über", vec!["beta"]),
        ("GRÜN", vec!["beta"]),
        ("50%_x!", vec!["beta"]),
        ("0%a", vec![]),
        ("mm", vec!["gamma"]),
        ("b", vec!["beta", "gamma"]),
        ("\u{e4}", vec![]),
        ("\"", vec![]),
        ("a\" OR \"b", vec![]),
        ("example", vec!["Alpha", "beta", "gamma"]),
    ] {
        assert_eq!(found(store_, &with_text(text)).await, slugs, "{text:?}");
    }
    let first = store_
        .search(&with_text("example"), NOON, 2)
        .await
        .expect("search");
    assert_eq!(first.len(), 2);
}

async fn searches_meet_every_condition(store_: &impl LinkStore) {
    store(
        store_,
        &link("a")
            .to("https://e.example/x?utm=1#top")
            .tags(&["t"])
            .build(),
    )
    .await;
    store(
        store_,
        &link("b")
            .to("https://e.example/x?utm=2#top")
            .expires(-1)
            .build(),
    )
    .await;
    store(
        store_,
        &link("c").to("https://e.example/x").tags(&["t"]).build(),
    )
    .await;
    let to = |url: &str| LinkFilter {
        destination: Some(destination(url)),
        ..everywhere()
    };
    assert_eq!(
        found(store_, &to("https://e.example/x#top")).await,
        ["a", "b"]
    );
    assert_eq!(found(store_, &to("https://e.example/x?other")).await, ["c"]);
    assert_eq!(
        found(store_, &to("https://e.example/X")).await,
        Vec::<String>::new()
    );
    let active = LinkFilter {
        status: StatusFilter::Active,
        ..to("https://e.example/x#top")
    };
    assert_eq!(found(store_, &active).await, ["a"]);
    let tagged = LinkFilter {
        tag: Some(tag("t")),
        ..with_text("e.example")
    };
    assert_eq!(found(store_, &tagged).await, ["a", "c"]);
    let none = LinkFilter {
        tag: Some(tag("t")),
        status: StatusFilter::Expired,
        ..everywhere()
    };
    assert_eq!(found(store_, &none).await, Vec::<String>::new());
    assert_eq!(found(store_, &everywhere()).await, ["a", "b", "c"]);
}

async fn a_changed_link_is_found_by_its_new_text_only(store_: &impl LinkStore) {
    let old = link("docs").comment("before").tags(&["early"]).build();
    store(store_, &old).await;
    let mut new = link("docs").comment("after").tags(&["late"]).build();
    new.revision = old.revision.next();
    store_
        .update(&new, &Version::of(&old))
        .await
        .expect("update");
    assert_eq!(
        found(store_, &with_text("before")).await,
        Vec::<String>::new()
    );
    assert_eq!(
        found(store_, &with_text("early")).await,
        Vec::<String>::new()
    );
    assert_eq!(found(store_, &with_text("after")).await, ["docs"]);
    assert_eq!(found(store_, &with_text("late")).await, ["docs"]);
    store_.delete(&new.slug).await.expect("delete");
    assert_eq!(
        found(store_, &with_text("after")).await,
        Vec::<String>::new()
    );
}

async fn tags_are_counted_by_name(store_: &impl LinkStore) {
    store(store_, &link("a").tags(&["x", "b"]).build()).await;
    store(store_, &link("b").tags(&["x"]).expires(0).build()).await;
    let counts = store_.tags().await.expect("tags");
    let shown: Vec<(&str, u64)> = counts
        .iter()
        .map(|count| (count.tag.as_str(), count.links))
        .collect();
    assert_eq!(shown, [("b", 1), ("x", 2)]);
}

/// Polls the futures together, so that they really overlap. Enough for a
/// handful, and needs no runtime.
pub(crate) async fn join_all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut pending: Vec<_> = futures
        .into_iter()
        .map(|future| (Box::pin(future), None))
        .collect();
    std::future::poll_fn(|context| {
        for (future, output) in &mut pending {
            if output.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(context)
            {
                *output = Some(value);
            }
        }
        if pending.iter().all(|(_, output)| output.is_some()) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    pending
        .into_iter()
        .filter_map(|(_, output)| output)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryLinkStore;

    #[tokio::test]
    async fn the_store_in_memory_keeps_the_contract() {
        run_suite(|| async { MemoryLinkStore::default() }).await;
    }
}
