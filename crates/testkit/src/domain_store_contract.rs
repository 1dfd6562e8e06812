//! The contract of every [`DomainStore`]. A back end calls [`run_suite`] with a function that makes
//! an empty store of domains, and the store of links beside it.

#![expect(clippy::future_not_send, reason = "tests run it on one thread")]

use std::{cell::Cell, pin::Pin, sync::Arc};

use slugline_domain::{
    AuditLine, AuditNote, AuditedOperation, Domain, DomainName, Host, Link, Reach, SlugCase,
    ports::{
        AuditTrail, DomainRemoval, DomainStore, Hearing, Insertion, LinkMove, LinkStore, Update,
        Version,
    },
};

use crate::{
    ALL, DeleteByKey, NOTE, destination, full_link, join_all::join_all, key, link, newest_lines,
    noted, seconds, with,
};

/// Runs every clause, each on its own stores.
///
/// # Panics
/// A clause is violated.
pub async fn run_suite<D: DomainStore, L: LinkStore + AuditTrail>(
    empty_stores: impl AsyncFn() -> (D, Arc<L>),
) {
    let (domains, _) = empty_stores().await;
    what_was_stored_is_listed_by_host(&domains).await;
    let (domains, _) = empty_stores().await;
    a_host_is_named_once_and_a_record_is_replaced_wholly(&domains).await;
    links_need_their_domain(&empty_stores().await).await;
    a_domain_with_links_is_not_removed(&empty_stores().await).await;
    links_move_all_or_none(&empty_stores().await).await;
    changes_leave_lines_and_are_heard_of(&empty_stores().await).await;
    no_link_is_left_without_its_domain(&empty_stores().await).await;
}

fn host(text: &str) -> Host {
    Host::parse(text).expect("a host")
}

fn named(text: &str) -> Domain {
    Domain::new(host(text))
}

fn name(text: &str) -> DomainName {
    DomainName::named(host(text))
}

/// A link with this key.
fn at(text: &str) -> Link {
    link(text).build()
}

fn doing(operation: AuditedOperation) -> AuditNote {
    with(noted(seconds(1)), |it| it.operation = operation)
}

async fn add(store: &impl DomainStore, texts: &[&str]) {
    for text in texts {
        let domain = named(text);
        let added = store
            .insert(&domain, &doing(AuditedOperation::DomainAdd))
            .await;
        assert!(added.expect("insert"));
    }
}

async fn what_was_stored_is_listed_by_host(store: &impl DomainStore) {
    assert_eq!(store.list().await.expect("list"), []);
    let full = Domain {
        home_url: Some(destination("https://example.com/home?a=b#c")),
        not_found_url: Some(destination("https://example.com/404")),
        expired_url: Some(destination("https://example.com/410")),
        case: Some(SlugCase::Sensitive),
        fall_through: true,
        ..named("xn--bcher-kva.example")
    };
    let other = Domain {
        case: Some(SlugCase::Insensitive),
        ..named("b.example")
    };
    let plain = named("a.example");
    for domain in [&full, &plain, &other] {
        assert!(store.insert(domain, &NOTE).await.expect("insert"));
    }
    assert_eq!(store.list().await.expect("list"), [plain, other, full]);
}

async fn a_host_is_named_once_and_a_record_is_replaced_wholly(store: &impl DomainStore) {
    let first = Domain {
        home_url: Some(destination("https://example.com/")),
        ..named("a.example")
    };
    let second = with(named("a.example"), |it| it.case = Some(SlugCase::Sensitive));
    assert!(!store.update(&second, &NOTE).await.expect("update"));
    assert_eq!(store.list().await.expect("list"), []);
    assert!(store.insert(&first, &NOTE).await.expect("insert"));
    assert!(!store.insert(&second, &NOTE).await.expect("insert"));
    assert_eq!(store.list().await.expect("list"), [first]);
    assert!(store.update(&second, &NOTE).await.expect("update"));
    assert_eq!(store.list().await.expect("list"), [second]);
}

async fn links_need_their_domain((domains, links): &(impl DomainStore, Arc<impl LinkStore>)) {
    let there = at("a.example/docs");
    let early = links.insert(&ALL, &there, &NOTE).await.expect("insert");
    assert_eq!(early, Insertion::NoDomain);
    let both = [at("docs"), there.clone()];
    let many = links.insert_many(&ALL, &both, &NOTE).await.expect("insert");
    assert_eq!(many, [Insertion::Stored, Insertion::NoDomain]);
    add(domains, &["a.example"]).await;
    let stored = links.insert(&ALL, &there, &NOTE).await.expect("insert");
    assert_eq!(stored, Insertion::Stored);
    assert_eq!(links.find(&there.key).await.expect("find"), Some(there));
}

async fn a_domain_with_links_is_not_removed(
    (domains, links): &(impl DomainStore, Arc<impl LinkStore>),
) {
    let remove = async |text: &str| {
        let note = doing(AuditedOperation::DomainRemove);
        let removed = domains.remove(&host(text), &note).await;
        removed.expect("remove")
    };
    assert_eq!(remove("a.example").await, DomainRemoval::NoDomain);
    add(domains, &["a.example", "b.example"]).await;
    let expired = link("a.example/docs").expires(-1).build();
    for stored in [&expired, &at("docs"), &at("b.example/docs")] {
        let stored = links.insert(&ALL, stored, &NOTE).await.expect("insert");
        assert_eq!(stored, Insertion::Stored);
    }
    assert_eq!(remove("a.example").await, DomainRemoval::HasLinks);
    assert_eq!(domains.list().await.expect("list").len(), 2);
    let deleted = links.delete(&expired.key, &NOTE).await.expect("delete");
    assert!(deleted.is_some());
    assert_eq!(remove("a.example").await, DomainRemoval::Removed);
    assert_eq!(domains.list().await.expect("list"), [named("b.example")]);
    let late = links.insert(&ALL, &expired, &NOTE).await.expect("insert");
    assert_eq!(late, Insertion::NoDomain);
}

async fn links_move_all_or_none((domains, links): &(impl DomainStore, Arc<impl LinkStore>)) {
    let find = async |text: &str| links.find(&key(text)).await.expect("find");
    let note = doing(AuditedOperation::LinkMove);
    let go = async |texts: &[&str], to: DomainName| {
        let mut read = Vec::new();
        for text in texts {
            read.push(find(text).await.unwrap_or_else(|| at(text)));
        }
        let moved = domains.move_links(&read, &to, &note).await;
        moved.expect("move")
    };
    assert_eq!(go(&[], name("b.example")).await, LinkMove::NoDomain);
    add(domains, &["a.example", "b.example"]).await;
    let full = with(full_link("full"), |it| it.key = key("a.example/full"));
    let both = [at("a.example/docs"), at("b.example/docs")];
    for stored in both.iter().chain([&full]) {
        let stored = links.insert(&ALL, stored, &NOTE).await.expect("insert");
        assert_eq!(stored, Insertion::Stored);
    }
    let keys = ["a.example/full", "a.example/docs", "a.example/nobody"];
    assert_eq!(go(&keys, name("b.example")).await, LinkMove::Taken);
    assert_eq!(go(&keys, name("c.example")).await, LinkMove::NoDomain);
    let read = find("a.example/full").await.expect("nothing moved");
    let unmoved = with(read.clone(), |it| it.revision = it.revision.next());
    let updated = links.update(&unmoved, &Version::of(&read), &NOTE).await;
    assert_eq!(updated.expect("update"), Update::Stored);
    let late = [both[0].clone(), read];
    let late = domains.move_links(&late, &DomainName::DEFAULT, &note).await;
    assert_eq!(late.expect("move"), LinkMove::Outdated);
    assert!(find("a.example/docs").await.is_some(), "all or none");
    assert_eq!(go(&keys, DomainName::DEFAULT).await, LinkMove::Moved);
    for former in keys {
        assert_eq!(find(former).await, None);
    }
    let moved = Link {
        key: key("full"),
        revision: unmoved.revision.next(),
        updated_at: seconds(1),
        ..unmoved
    };
    assert_eq!(find("full").await, Some(moved.clone()));
    let docs = find("docs").await.expect("moved");
    assert_eq!(docs.id, both[0].id);
    // A repetition moves nothing, and neither does a move to where the links are.
    assert_eq!(go(&keys, DomainName::DEFAULT).await, LinkMove::Moved);
    assert_eq!(go(&["full"], DomainName::DEFAULT).await, LinkMove::Moved);
    assert_eq!(find("full").await, Some(moved.clone()));
    let tagged = links.tags(&Reach::Everything, None).await.expect("tags");
    assert_eq!(tagged.len(), moved.content.tags.iter().count());
}

async fn changes_leave_lines_and_are_heard_of(
    (domains, trail): &(impl DomainStore, Arc<impl LinkStore + AuditTrail>),
) {
    let heard = domains.hearing();
    add(domains, &["a.example"]).await;
    if let Hearing::Announced(_) = heard {
        assert_ne!(domains.hearing(), heard, "whoever remembers them must ask");
    }
    let edit = doing(AuditedOperation::DomainEdit);
    let edited = domains.update(&named("a.example"), &edit).await;
    assert!(edited.expect("update"));
    let link = at("a.example/docs");
    trail.insert(&ALL, &link, &NOTE).await.expect("insert");
    let remove = doing(AuditedOperation::DomainRemove);
    let refused = domains.remove(&host("a.example"), &remove).await;
    assert_eq!(refused.expect("remove"), DomainRemoval::HasLinks);
    let note = doing(AuditedOperation::LinkMove);
    let moved = domains
        .move_links(&[link], &DomainName::DEFAULT, &note)
        .await;
    assert_eq!(moved.expect("move"), LinkMove::Moved);
    let removed = domains.remove(&host("a.example"), &remove).await;
    assert_eq!(removed.expect("remove"), DomainRemoval::Removed);
    let nothing = domains.remove(&host("a.example"), &remove).await;
    assert_eq!(nothing.expect("remove"), DomainRemoval::NoDomain);
    let mut lines = trail.lines(&newest_lines(100)).await.expect("lines");
    lines.sort_by_key(|line| line.number);
    let seen: Vec<String> = lines.iter().map(summary).collect();
    let expected = [
        "domain.add a.example ",
        "domain.edit a.example ",
        "link.create  a.example/docs",
        "link.move  a.example/docs",
        "link.move  docs",
        "domain.remove a.example ",
    ];
    assert_eq!(seen, expected);
}

fn summary(line: &AuditLine) -> String {
    let domain = line.domain.as_ref().map_or("", Host::as_str);
    let key = line.key.as_ref().map(ToString::to_string);
    format!("{} {domain} {}", line.operation, key.unwrap_or_default())
}

/// Links are stored while their domain is removed: it stays, or they are refused.
async fn no_link_is_left_without_its_domain(
    (domains, links): &(impl DomainStore, Arc<impl LinkStore>),
) {
    for round in 0..10 {
        add(domains, &["a.example"]).await;
        let new = (0..8).map(|number| at(&format!("a.example/r{round}n{number}")));
        let new: Vec<Link> = new.collect();
        let (a, removed) = (host("a.example"), Cell::new(None));
        let insert = async |link| Some(links.insert(&ALL, link, &NOTE).await.expect("insert"));
        let remove = async {
            // Some links are under way by then.
            for _ in 0..round {
                links.ping().await.expect("ping");
            }
            removed.set(Some(domains.remove(&a, &NOTE).await.expect("remove")));
            None
        };
        let mut changes: Vec<Pin<Box<dyn Future<Output = Option<Insertion>> + '_>>> = Vec::new();
        for link in &new {
            changes.push(Box::pin(insert(link)));
        }
        changes.push(Box::pin(remove));
        let outcomes = join_all(changes).await;
        match removed.get().expect("an outcome") {
            DomainRemoval::Removed => {
                let stored = outcomes.contains(&Some(Insertion::Stored));
                assert!(!stored, "round {round}");
                for link in &new {
                    assert_eq!(links.find(&link.key).await.expect("find"), None);
                }
            }
            DomainRemoval::HasLinks => {
                for link in &new {
                    links.delete(&link.key, &NOTE).await.expect("delete");
                }
                let removed = domains.remove(&a, &NOTE).await.expect("remove");
                assert_eq!(removed, DomainRemoval::Removed);
            }
            DomainRemoval::NoDomain => panic!("it was there"),
        }
    }
}
