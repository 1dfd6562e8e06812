use std::{sync::Mutex, time::Duration};

use slugline_domain::{
    AuditNote, Link, Slug, SlugCase,
    ports::{
        AuditTrail, DomainRemoval, DomainStore, Hearing, LinkMove, LinkStore, StoreError, Version,
    },
};
use slugline_storage::{SqlDomainStore, SqlLinkStore};
use slugline_testkit::{
    ALL, FixedClock, LinksFile, NOON, NOTE, assert_matches, destination, key, link, newest_lines,
};

use super::*;
use crate::{ResolverOptions, links::fixture::opened};

struct Fixture {
    links: Arc<SqlLinkStore>,
    file: LinksFile,
    store: Arc<TellingDomains>,
    domains: Domains,
}

/// The domains of a database that tells of changes as a test says.
#[derive(Debug)]
struct TellingDomains {
    domains: SqlDomainStore,
    hearing: Mutex<Hearing>,
    links: Arc<SqlLinkStore>,
    /// A link as another caller stores it before the next move.
    meanwhile: Mutex<Option<Link>>,
}

#[async_trait::async_trait]
impl DomainStore for TellingDomains {
    async fn list(&self) -> Result<Vec<Domain>, StoreError> {
        self.domains.list().await
    }

    async fn insert(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError> {
        let inserted = self.domains.insert(domain, note).await;
        self.count();
        inserted
    }

    async fn update(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError> {
        let updated = self.domains.update(domain, note).await;
        self.count();
        updated
    }

    async fn remove(&self, host: &Host, note: &AuditNote) -> Result<DomainRemoval, StoreError> {
        let removed = self.domains.remove(host, note).await;
        self.count();
        removed
    }

    async fn move_links(
        &self,
        links: &[Link],
        to: &DomainName,
        note: &AuditNote,
    ) -> Result<LinkMove, StoreError> {
        let meanwhile = self.meanwhile.lock().unwrap().take();
        if let Some(mut link) = meanwhile {
            let known = Version::of(&link);
            link.revision = link.revision.next();
            self.links.update(&link, &known, &NOTE).await?;
        }
        self.domains.move_links(links, to, note).await
    }

    fn hearing(&self) -> Hearing {
        *self.hearing.lock().unwrap()
    }
}

impl TellingDomains {
    /// Announces a change.
    fn count(&self) {
        if let Hearing::Announced(number) = &mut *self.hearing.lock().unwrap() {
            *number += 1;
        }
    }

    fn hear(&self, hearing: Hearing) {
        *self.hearing.lock().unwrap() = hearing;
    }
}

/// An instance whose public host is `sl.example`, and whose host for administration is
/// `admin.example`.
fn fixture() -> Fixture {
    let file = LinksFile::new();
    let links = opened(&file);
    let store = Arc::new(TellingDomains {
        domains: links.domains(),
        hearing: Mutex::new(Hearing::Announced(0)),
        links: links.clone(),
        meanwhile: Mutex::default(),
    });
    let clock = Arc::new(FixedClock::at(NOON));
    let resolver = Arc::new(Resolver::new(
        links.clone(),
        clock.clone(),
        NamedDomains::new(SlugCase::Insensitive),
        ResolverOptions::default(),
    ));
    let parts = DomainsParts {
        store: store.clone(),
        links: links.clone(),
        resolver,
        clock,
        public: Some(host("sl.example")),
        admin: Some(host("admin.example")),
        own_addresses: OwnAddresses::default().at(&"https://sl.example".parse().unwrap()),
    };
    let domains = Domains::new(parts);
    Fixture {
        links,
        file,
        store,
        domains,
    }
}

impl Fixture {
    async fn name(&self, texts: &[&str]) {
        for text in texts {
            let added = self.domains.add(&named(text), &Author::operator()).await;
            added.unwrap();
        }
    }

    async fn insert(&self, texts: &[&str]) {
        for text in texts {
            let key = key(text);
            let id = text.replace(['.', '/'], "-");
            let link = Link {
                key: key.clone(),
                ..link(key.slug.as_str()).id(&id).build()
            };
            self.links.insert(&ALL, &link, &NOTE).await.unwrap();
        }
    }

    async fn leads(&self, text: &str) -> bool {
        let found = self.domains.parts.resolver.find(&key(text)).await;
        found.unwrap().is_some()
    }

    async fn remove(&self, text: &str, fate: LinksFate) -> Result<RemovedDomain, Error> {
        let author = Author::operator();
        self.domains.remove(&host(text), &fate, &author).await
    }

    fn known(&self) -> Vec<String> {
        let set = self.domains.known().current();
        set.named().map(|domain| domain.host.to_string()).collect()
    }
}

fn host(text: &str) -> Host {
    Host::parse(text).unwrap()
}

fn named(text: &str) -> Domain {
    Domain::new(host(text))
}

fn to(text: &str) -> LinksFate {
    LinksFate::MoveTo(DomainName::parse(text).unwrap())
}

#[tokio::test]
async fn a_host_is_named_at_once_and_only_once() {
    let fixture = fixture();
    fixture.name(&["go.example", "a.example"]).await;
    assert_eq!(fixture.known(), ["a.example", "go.example"]);
    let author = Author::operator();
    let again = fixture.domains.add(&named("go.example"), &author).await;
    assert_matches!(again, Err(Error::DomainExists(_)));
    for (text, use_of_it) in [
        ("sl.example", OwnHost::Public),
        ("admin.example", OwnHost::Admin),
    ] {
        let own = fixture.domains.add(&named(text), &author).await;
        assert_matches!(&own, Err(Error::OwnHost { own, .. }) if *own == use_of_it);
        assert!(fixture.domains.serves(&host(text)));
    }
    assert!(fixture.domains.serves(&host("go.example")));
    assert!(!fixture.domains.serves(&host("other.example")));
}

#[tokio::test]
async fn a_record_is_edited_and_its_rules_hold_at_once() {
    let fixture = fixture();
    fixture.name(&["go.example"]).await;
    let author = Author::operator();
    let edited = Domain {
        home_url: Some(destination("https://example.com/")),
        case: Some(SlugCase::Sensitive),
        ..named("go.example")
    };
    fixture.domains.edit(&edited, &author).await.unwrap();
    let everything = Reach::Everything;
    let listed = fixture.domains.list(&everything).await.unwrap();
    assert_eq!(listed, std::slice::from_ref(&edited));
    let case = fixture.domains.known().case_in(&edited.name());
    assert_eq!(case, SlugCase::Sensitive);
    let nobody = fixture.domains.edit(&named("a.example"), &author).await;
    assert_matches!(nobody, Err(Error::DomainNotFound(_)));
    let missing = fixture.domains.get(&host("a.example"), &everything).await;
    assert_matches!(missing, Err(Error::DomainNotFound(_)));
}

#[tokio::test]
async fn a_bound_caller_sees_the_domains_of_the_binding() {
    use slugline_domain::Binding;

    let fixture = fixture();
    fixture.name(&["a.example", "b.example"]).await;
    let binding = Binding::new([], [], [DomainName::parse("b.example").unwrap()]);
    let reach = Reach::bound(binding.unwrap());
    let listed = fixture.domains.list(&reach).await.unwrap();
    assert_eq!(listed, [named("b.example")]);
    let other = fixture.domains.get(&host("a.example"), &reach).await;
    assert_matches!(other, Err(Error::DomainNotFound(_)));
}

#[tokio::test]
async fn a_domain_with_links_stays_unless_their_fate_is_named() {
    let fixture = fixture();
    fixture.name(&["go.example"]).await;
    fixture.insert(&["go.example/docs"]).await;
    let refused = fixture.remove("go.example", LinksFate::Refuse).await;
    assert_matches!(refused, Err(Error::DomainHasLinks { links: 1, .. }));
    let itself = fixture.remove("go.example", to("go.example")).await;
    assert_matches!(itself, Err(Error::DomainHasLinks { .. }));
    let nowhere = fixture.remove("go.example", to("a.example")).await;
    assert_matches!(nowhere, Err(Error::NoDomain(_)));
    assert!(fixture.leads("go.example/docs").await);
    let removed = fixture.remove("go.example", LinksFate::Delete).await;
    assert_eq!(removed.unwrap().links, 1);
    assert!(fixture.known().is_empty());
    assert!(!fixture.leads("go.example/docs").await);
    let gone = fixture.remove("go.example", LinksFate::Delete).await;
    assert_matches!(gone, Err(Error::DomainNotFound(_)));
}

#[tokio::test]
async fn links_move_with_their_domain_and_visitors_find_them_at_once() {
    let fixture = fixture();
    fixture.name(&["go.example", "b.example"]).await;
    let many: Vec<String> = (0..1_100).map(|n| format!("go.example/s{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    fixture.insert(&many).await;
    assert!(fixture.leads("go.example/s7").await);
    assert!(!fixture.leads("s7").await);
    // The public host is the default domain.
    let removed = fixture.remove("go.example", to("sl.example")).await;
    assert_eq!(removed.unwrap().links, 1_100);
    assert!(fixture.leads("s7").await && fixture.leads("s1099").await);
    assert!(!fixture.leads("go.example/s7").await);
    assert_eq!(fixture.known(), ["b.example"]);
    let query = newest_lines(1);
    let line = fixture.links.lines(&query).await.unwrap().remove(0);
    assert_eq!(line.operation, "domain.remove");
    assert_eq!(line.domain, Some(host("go.example")));
}

#[tokio::test]
async fn nothing_moves_while_a_slug_is_taken() {
    let fixture = fixture();
    fixture.name(&["go.example"]).await;
    let sensitive = Domain {
        case: Some(SlugCase::Sensitive),
        ..named("go.example")
    };
    let author = Author::operator();
    fixture.domains.edit(&sensitive, &author).await.unwrap();
    fixture
        .insert(&[
            "go.example/a",
            "go.example/b",
            "go.example/C",
            "go.example/c",
            "go.example/D",
        ])
        .await;
    fixture.insert(&["b", "d"]).await;
    let refused = fixture.remove("go.example", to("")).await;
    let Err(Error::SlugsTaken { slugs, .. }) = refused else {
        panic!("{refused:?}");
    };
    let slugs: Vec<&str> = slugs.iter().map(Slug::as_str).collect();
    // The default domain ignores case, so `C` would never be found beside `c`.
    assert_eq!(slugs, ["C", "D", "b"]);
    for text in ["a", "b", "C", "c", "D"] {
        assert!(fixture.leads(&format!("go.example/{text}")).await, "{text}");
    }
    assert!(!fixture.leads("a").await);
}

#[tokio::test]
async fn nothing_moves_while_a_link_would_lead_to_itself() {
    let fixture = fixture();
    fixture.name(&["go.example", "b.example"]).await;
    // More than one piece, of which the first has no such link.
    let many: Vec<String> = (0..500).map(|n| format!("b.example/a{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    fixture.insert(&many).await;
    for (slug, there) in [("b", "sl.example"), ("c", "go.example")] {
        let circle = link(slug).to(&format!("https://{there}/{slug}")).build();
        let key = key(&format!("b.example/{slug}"));
        let circle = Link { key, ..circle };
        fixture.links.insert(&ALL, &circle, &NOTE).await.unwrap();
        let refused = fixture.remove("b.example", to(there)).await;
        let Err(Error::Forwarding(fault)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(fault.path, format!("{slug}.url"));
        assert!(fixture.leads("b.example/a0").await);
    }
}

#[tokio::test]
async fn what_another_caller_stores_before_a_move_is_judged_too() {
    let fixture = fixture();
    fixture.name(&["go.example"]).await;
    fixture.insert(&["go.example/a", "go.example/b"]).await;
    let read = async |text: &str| fixture.links.find(&key(text)).await.unwrap().unwrap();
    let mut harmless = read("go.example/b").await;
    harmless.content.destination = destination("https://example.org/");
    *fixture.store.meanwhile.lock().unwrap() = Some(harmless.clone());
    let moved = fixture.remove("go.example", to("sl.example")).await;
    assert_eq!(moved.unwrap().links, 2);
    assert_eq!(read("b").await.content, harmless.content);

    fixture.name(&["go.example"]).await;
    fixture.insert(&["go.example/c"]).await;
    let mut circle = read("go.example/c").await;
    circle.content.destination = destination("https://sl.example/c");
    *fixture.store.meanwhile.lock().unwrap() = Some(circle);
    let refused = fixture.remove("go.example", to("sl.example")).await;
    let Err(Error::Forwarding(fault)) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(fault.path, "c.url");
    assert!(fixture.leads("go.example/c").await && !fixture.leads("c").await);
}

#[tokio::test]
async fn a_move_that_broke_off_is_continued() {
    let fixture = fixture();
    fixture.name(&["go.example"]).await;
    fixture.insert(&["go.example/a", "go.example/b"]).await;
    let some = fixture.links.find(&key("go.example/a")).await.unwrap();
    let some = [some.unwrap()];
    let moved = fixture.store.move_links(&some, &DomainName::DEFAULT, &NOTE);
    moved.await.unwrap();
    let removed = fixture.remove("go.example", to("")).await;
    assert_eq!(removed.unwrap().links, 1);
    assert!(fixture.leads("a").await && fixture.leads("b").await);
}

/// Waits until the watch has done something; it looks every quarter of a second.
async fn until(what: &str, mut is_done: impl FnMut() -> bool) {
    for _ in 0..200 {
        if is_done() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what} within ten seconds");
}

#[tokio::test]
async fn changes_by_others_are_followed_and_the_last_domains_kept_while_the_store_fails() {
    let fixture = fixture();
    fixture.domains.reload().await.unwrap();
    let reports = Arc::<Mutex<Vec<bool>>>::default();
    let told = Arc::clone(&reports);
    let domains = fixture.domains.clone();
    let watch = tokio::spawn(async move {
        let report = move |read: Result<(), &_>| told.lock().unwrap().push(read.is_ok());
        domains.keep_up(report).await;
    });
    let reported = || reports.lock().unwrap().clone();
    for hearing in [Hearing::Announced(1), Hearing::Counted(1), Hearing::Deaf] {
        fixture.store.hear(hearing);
        let go = named("go.example");
        assert!(fixture.store.insert(&go, &NOTE).await.unwrap());
        if let Hearing::Counted(number) = hearing {
            fixture.store.hear(Hearing::Counted(number + 1));
        }
        until("a new domain", || fixture.known() == ["go.example"]).await;
        let told = reported().len();
        fixture.file.break_down();
        fixture.store.hear(Hearing::Announced(99));
        until("a failure", || reported()[told..] == [false]).await;
        assert_eq!(fixture.known(), ["go.example"], "{hearing:?}");
        fixture.file.recover();
        let removed = fixture.store.remove(&host("go.example"), &NOTE).await;
        removed.unwrap();
        until("a removal", || fixture.known().is_empty()).await;
        until("a success", || reported()[told..] == [false, true]).await;
    }
    watch.abort();
}

#[tokio::test]
async fn hosts_of_the_setting_are_named_once_and_the_public_one_never() {
    let fixture = fixture();
    let hosts = ["sl.example", "a.example"].map(host);
    for _ in 0..2 {
        fixture.domains.name_missing(&hosts).await.unwrap();
        assert_eq!(fixture.known(), ["a.example"]);
    }
    let admin = fixture.domains.name_missing(&[host("admin.example")]).await;
    assert_matches!(admin, Err(Error::OwnHost { .. }));
}
