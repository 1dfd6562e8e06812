//! Links that stand in the way of new ones, or may stand for them.

use std::collections::BTreeSet;

use slugline_domain::{
    Binding, Comment, Link, MaxVisits, PasswordHash, Reach, Tag, ports::LinkStore,
};

use super::shorthand::store;
use crate::{NOON, full_link, key, link, seconds, tag};

pub(super) async fn holders_of_keys_and_identities_are_found(links: &impl LinkStore) {
    let old = link("old").id("i1").tags(&["b", "a"]).expires(-5).build();
    let other = link("other").id("i2").build();
    let elsewhere = link("go.example/old").id("i3").build();
    for one in [&old, &other, &elsewhere] {
        store(links, one).await;
    }
    let found = async |keys: &[&str], ids: &[&Link]| {
        let keys: BTreeSet<_> = keys.iter().map(|text| key(text)).collect();
        let ids: BTreeSet<_> = ids.iter().map(|link| link.id.clone()).collect();
        let found = links.holders(&keys, &ids).await.expect("the store answers");
        let mut found: Vec<String> = found.iter().map(|link| link.id.to_string()).collect();
        found.sort();
        found
    };
    assert_eq!(found(&["old", "nobody"], &[]).await, ["i1"]);
    assert_eq!(found(&["old"], &[&old, &other]).await, ["i1", "i2"]);
    assert_eq!(found(&["nobody"], &[&other]).await, ["i2"]);
    assert_eq!(found(&[], &[]).await, [""; 0]);
    let whole = links.holders(&[key("old")].into(), &BTreeSet::new()).await;
    let whole = whole.expect("the store answers");
    assert_eq!(whole[0].content.tags, old.content.tags.sorted());
}

pub(super) async fn an_equal_link_is_found_among_those_to_one_destination(links: &impl LinkStore) {
    let twin = async |reach: &Reach, new: &Link| {
        let found = links.twin(reach, new, NOON).await;
        found.expect("the store answers").map(|link| link.key)
    };
    // Every member but those that keep a link from being handed out.
    let mut full = full_link("full");
    full.password = None;
    full.visits_used = 0;
    full.content.life.max_visits = None;
    full.content.life.disabled = false;
    let plain = link("plain").to("https://example.com/?a=1").build();
    let mut longer = plain.clone();
    (longer.id, longer.key) = (link("longer").build().id, key("longer"));
    longer.content.tags = link("t").tags(&["a", "b"]).build().content.tags;
    for one in [&full, &plain, &longer] {
        store(links, one).await;
    }

    let mut new = full.clone();
    (new.id, new.key) = (link("new").build().id, key("new"));
    (new.created_at, new.updated_at) = (NOON, NOON);
    assert_eq!(twin(&Reach::Everything, &new).await, Some(key("full")));
    let mut new = plain.clone();
    new.key = key("new");
    assert_eq!(twin(&Reach::Everything, &new).await, Some(key("plain")));
    new.content.tags = link("t").tags(&["b", "a"]).build().content.tags;
    assert_eq!(twin(&Reach::Everything, &new).await, Some(key("longer")));
    new.content.tags = link("t").tags(&["b"]).build().content.tags;
    assert_eq!(twin(&Reach::Everything, &new).await, None);

    let changes: [fn(&mut Link); 6] = [
        |new| new.key = key("go.example/new"),
        |new| new.content.comment = Comment::parse("c").ok(),
        |new| new.content.destination = "https://example.com/?a=2".parse().expect("a URL"),
        |new| new.content.delivery.cloaking = Some(false),
        |new| new.password = Some(PasswordHash::new("hash")),
        |new| new.content.life.max_visits = MaxVisits::new(1).ok(),
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut new = plain.clone();
        change(&mut new);
        assert_eq!(twin(&Reach::Everything, &new).await, None, "{number}");
    }
    let bound = |name: &str| {
        let tags: [Tag; 1] = [tag(name)];
        Reach::bound(Binding::new([], tags, []).expect("few"))
    };
    assert_eq!(twin(&bound("a"), &plain).await, None);
    assert_eq!(twin(&bound("a"), &longer).await, Some(key("longer")));
    let late = links.twin(&Reach::Everything, &full, seconds(3600)).await;
    assert_eq!(late.expect("the store answers"), None, "it is expired");
}
