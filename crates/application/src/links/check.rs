//! Checks page by page whether the destinations of links answer.

use std::{collections::HashSet, sync::Arc, time::Duration};

use slugline_domain::{
    CheckSize, Destination, DomainName, Link, LinkFilter, LinkKey, LinkOrder, PageSize, Position,
    ProbeCaller, ProbeOutcome, ProbeRequest, ProbeTimeout, Scope, StatusFilter, Tag, UnixMillis,
    host_to_ask,
    ports::{Clock, LinkProber},
};
use tokio::task::JoinSet;

use super::{LinkPage, LinkReader, LinkService, ListLinks};
use crate::{
    access::{Access, Forbidden},
    caller::Caller,
    error::Error,
};

/// A request to check some links.
#[derive(Clone, Debug, Default)]
pub struct CheckLinks {
    /// The number of links to check at the same time.
    pub size: CheckSize,
    /// The links to check.
    pub scope: CheckScope,
    /// Returns broken links only, and continues until it has as many as are checked at
    /// the same time, or until it has worked for 20 seconds.
    pub only_broken: bool,
    /// The timeout for each destination; all are requested at the same time.
    pub timeout: ProbeTimeout,
    /// Only links after this position.
    pub after: Option<Position>,
    /// The facts about the caller that destinations get.
    pub caller: ProbeCaller,
}

/// The links that a check may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckScope {
    /// The links of a domain, or of all, and those of them with a tag if one is given.
    Links {
        /// The domain; `None` for all.
        domain: Option<DomainName>,
        /// The tag.
        tag: Option<Tag>,
    },
    /// The link with a key.
    Key(LinkKey),
}

/// Every link of every domain, expired ones too.
impl Default for CheckScope {
    fn default() -> Self {
        Self::Links {
            domain: None,
            tag: None,
        }
    }
}

/// Some links with the answers of their destinations, and the position to continue from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedPage {
    /// The links in order.
    pub links: Vec<CheckedLink>,
    /// The number of links that were checked for this page.
    pub checked: usize,
    /// The position to continue from; `None` when all links were checked.
    pub next: Option<Position>,
}

/// One link and the answer of its destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedLink {
    /// The link's slug.
    pub key: LinkKey,
    /// The first destination that is broken; the link's own one if none is.
    pub destination: Destination,
    /// The answer.
    pub outcome: ProbeOutcome,
    /// The time of the answer.
    pub checked_at: UnixMillis,
}

/// Checks the destinations of links.
#[derive(Clone, Debug)]
pub struct LinkChecker {
    links: LinkService,
    prober: Arc<dyn LinkProber>,
    clock: Arc<dyn Clock>,
}

impl LinkChecker {
    /// The access rule of [`Self::check`].
    pub const CHECK: Access = Access::outside_preview(Scope::LinksRead, Forbidden::Check);

    /// Creates a checker of these links with this prober.
    pub fn new(links: LinkService, prober: Arc<dyn LinkProber>, clock: Arc<dyn Clock>) -> Self {
        Self {
            links,
            prober,
            clock,
        }
    }

    /// Sends a request to the destinations of some links, by slug ascending. When the
    /// caller disconnects, the probes stop.
    ///
    /// # Errors
    /// Preview mode, no link has the requested slug, or the store failed. A destination
    /// that does not answer is a result, not an error.
    pub async fn check(&self, caller: &Caller, request: CheckLinks) -> Result<CheckedPage, Error> {
        /// The time limit of one call: the caller waits for it, and a page of slow
        /// destinations may follow.
        const LONGEST: Duration = Duration::from_secs(20);

        self.links.permit(Self::CHECK)?;
        let links = self.links.seen_by(caller);
        let started = self.clock.now();
        let is_late = || {
            let spent = self.clock.now().get().saturating_sub(started.get());
            u128::try_from(spent).is_ok_and(|spent| spent >= LONGEST.as_millis())
        };
        let mut after = request.after.clone();
        let mut found = CheckedPage {
            links: Vec::new(),
            checked: 0,
            next: None,
        };
        loop {
            let page = page(&links, &request, after).await?;
            let links = self.ask(page.links, &request).await;
            found.checked += links.len();
            let is_wanted = |link: &CheckedLink| !request.only_broken || !link.outcome.ok();
            found.links.extend(links.into_iter().filter(is_wanted));
            found.next = page.next;
            let is_enough = found.links.len() >= usize::from(request.size.get());
            if !request.only_broken || found.next.is_none() || is_enough || is_late() {
                return Ok(found);
            }
            after = found.next.clone();
        }
    }

    /// Sends a request to all destinations at the same time.
    async fn ask(&self, links: Vec<Link>, request: &CheckLinks) -> Vec<CheckedLink> {
        let mut probes = JoinSet::new();
        for (index, link) in links.into_iter().enumerate() {
            let (this, timeout, caller) = (self.clone(), request.timeout, request.caller.clone());
            probes.spawn(async move { (index, this.check_one(link, timeout, caller).await) });
        }
        let mut links = probes.join_all().await;
        links.sort_by_key(|(index, _)| *index);
        links.into_iter().map(|(_, checked)| checked).collect()
    }

    async fn check_one(
        &self,
        link: Link,
        timeout: ProbeTimeout,
        caller: ProbeCaller,
    ) -> CheckedLink {
        let content = &link.content;
        let first = content.routing.without_rest(&content.destination);
        let outcome = self.probe(&first, timeout, &caller).await;
        let mut found = (content.destination.clone(), outcome);
        let mut seen = HashSet::from([&content.destination]);
        // The others are asked one after the other, so that a link costs one request at a time.
        for destination in content.destinations() {
            if !found.1.ok() {
                break;
            }
            // The checker does not ask the address of an app, which is no fault.
            if !seen.insert(destination) || host_to_ask(destination.as_str()).is_empty() {
                continue;
            }
            let asked = content.routing.without_rest(destination);
            let outcome = self.probe(&asked, timeout, &caller).await;
            if !outcome.ok() {
                found = (destination.clone(), outcome);
            }
        }
        let (destination, outcome) = found;
        CheckedLink {
            outcome,
            key: link.key,
            destination,
            checked_at: self.clock.now(),
        }
    }

    async fn probe(
        &self,
        destination: &Destination,
        timeout: ProbeTimeout,
        caller: &ProbeCaller,
    ) -> ProbeOutcome {
        let probe = ProbeRequest {
            destination: destination.clone(),
            timeout,
            caller: caller.clone(),
        };
        self.prober.probe(probe).await
    }
}

async fn page(
    links: &LinkReader,
    request: &CheckLinks,
    after: Option<Position>,
) -> Result<LinkPage, Error> {
    let (domain, tag) = match &request.scope {
        CheckScope::Links { domain, tag } => (domain.clone(), tag.clone()),
        CheckScope::Key(key) => {
            return Ok(LinkPage {
                links: vec![links.get(key).await?],
                next: None,
            });
        }
    };
    let page = ListLinks {
        size: PageSize::new(request.size.get().into()).expect("fewer links than on a page"),
        order: LinkOrder::SlugAscending,
        filter: LinkFilter {
            tag,
            domain,
            status: StatusFilter::All,
            ..LinkFilter::default()
        },
        after,
    };
    links.list(page).await
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use slugline_domain::{ProbeFailure, ports::LinkStore};
    use slugline_testkit::{ALL, NOON, NOTE, ScriptedProber, assert_matches, key, link, with};
    use tokio::sync::Barrier;

    use super::*;
    use crate::links::fixture::{Fixture, fixture};

    async fn fixture_with_links(keys: &[&str]) -> Fixture {
        let links = keys.iter().map(|name| {
            let to = format!("https://{name}.example/");
            link(name).to(&to).expires(-1).build()
        });
        fixture().holding_all(&links.collect::<Vec<_>>()).await
    }

    fn checker(fixture: &Fixture, prober: Arc<dyn LinkProber>) -> LinkChecker {
        let links = LinkService::clone(&fixture.links);
        LinkChecker::new(links, prober, fixture.clock.clone())
    }

    async fn check(checker: &LinkChecker, request: &CheckLinks) -> Result<CheckedPage, Error> {
        checker.check(&Caller::Operator, request.clone()).await
    }

    #[tokio::test]
    async fn all_links_are_checked_by_slug_with_what_each_answered() {
        let fixture = fixture_with_links(&["c", "a", "b"]).await;
        let prober = Arc::new(ScriptedProber::default());
        prober.answer("https://b.example/", Err(ProbeFailure::NotAllowed));
        prober.answer("https://c.example/", Ok(404));
        let checker = checker(&fixture, prober.clone());
        let mut request = with(CheckLinks::default(), |it| {
            it.size = CheckSize::new(2).unwrap();
            it.timeout = ProbeTimeout::from_seconds(9).unwrap();
            it.caller.accept_language = Some("de".to_owned());
        });
        let first = check(&checker, &request).await.unwrap();
        request.after.clone_from(&first.next);
        assert!(request.after.is_some());
        let second = check(&checker, &request).await.unwrap();
        assert_eq!(second.next, None);

        let links = [first.links, second.links].concat();
        assert!(links.iter().all(|link| link.checked_at == NOON.start()));
        let seen = links
            .into_iter()
            .map(|link| (link.key, link.outcome.result));
        let refused = Err(ProbeFailure::NotAllowed);
        let expected = [
            (key("a"), Ok(200)),
            (key("b"), refused),
            (key("c"), Ok(404)),
        ];
        assert_eq!(seen.collect::<Vec<_>>(), expected);
        for asked in prober.asked() {
            assert_eq!(asked.timeout, request.timeout);
            assert_eq!(asked.caller, request.caller);
        }
    }

    #[tokio::test]
    async fn every_destination_of_a_link_is_asked_until_one_is_broken() {
        let fixture = fixture();
        let mut full = slugline_testkit::full_link("full");
        let app = Destination::restore("itms-apps://apps.example/a").unwrap();
        full.content.routing.apple = Some(app);
        fixture.store.insert(&ALL, &full, &NOTE).await.unwrap();
        let prober = Arc::new(ScriptedProber::default());
        prober.answer("https://split.example/a", Ok(404));
        let checker = checker(&fixture, prober.clone());
        let page = check(&checker, &CheckLinks::default()).await.unwrap();
        let link = &page.links[0];
        assert_eq!(link.destination.as_str(), "https://split.example/a");
        assert_eq!(link.outcome.result, Ok(404));
        let asked = prober.asked().into_iter();
        let asked: Vec<_> = asked.map(|one| one.destination.to_string()).collect();
        let expected = [
            full.content.destination.as_str(),
            "https://apps.example/g",
            "https://example.at/",
            "https://example.de/",
            "https://rules.example/1",
            "https://rules.example/ü",
            "https://split.example/a",
        ];
        assert_eq!(asked, expected);
    }

    #[tokio::test]
    async fn a_scope_narrows_what_is_asked() {
        let tagged = link("c").tags(&["promo"]).to("https://c.example/").build();
        let fixture = fixture_with_links(&["a", "b"]).await.holding(&tagged).await;
        let prober = Arc::new(ScriptedProber::default());
        let checker = checker(&fixture, prober);
        let keys = async |scope| {
            let request = with(CheckLinks::default(), |it| it.scope = scope);
            let page = check(&checker, &request).await?;
            assert_eq!((page.checked, page.next), (page.links.len(), None));
            let links = page.links.into_iter();
            Ok::<_, Error>(links.map(|link| link.key.to_string()).collect::<Vec<_>>())
        };
        let promo = CheckScope::Links {
            domain: None,
            tag: Tag::parse("promo").ok(),
        };
        assert_eq!(keys(promo).await.unwrap(), ["c"]);
        assert_eq!(keys(CheckScope::Key(key("B"))).await.unwrap(), ["b"]);
        let nowhere = keys(CheckScope::Key(key("nowhere"))).await;
        assert_matches!(nowhere, Err(Error::LinkNotFound(_)));
    }

    #[tokio::test]
    async fn broken_links_are_found_over_many_pages_in_one_call() {
        let names: Vec<String> = (10..40).map(|number| format!("l{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let fixture = fixture_with_links(&names).await;
        let prober = Arc::new(ScriptedProber::default());
        for name in &names {
            let status = [200, 404][usize::from(["l13", "l38"].contains(name))];
            prober.answer(&format!("https://{name}.example/"), Ok(status));
        }
        let request = with(CheckLinks::default(), |it| it.only_broken = true);
        let page = check(&checker(&fixture, prober), &request).await.unwrap();
        let broken: Vec<_> = page.links.into_iter().map(|link| link.key).collect();
        assert_eq!(broken, ["l13", "l38"].map(key));
        assert_eq!((page.checked, page.next), (30, None));
    }

    /// Answers once all three requests are under way.
    #[derive(Debug)]
    struct Together(Barrier);

    #[async_trait]
    impl LinkProber for Together {
        async fn probe(&self, _: ProbeRequest) -> ProbeOutcome {
            self.0.wait().await;
            ProbeOutcome {
                result: Ok(204),
                duration: Duration::ZERO,
            }
        }
    }

    #[tokio::test]
    async fn the_destinations_of_a_page_are_asked_at_the_same_time() {
        let fixture = fixture_with_links(&["a", "b", "c"]).await;
        let checker = checker(&fixture, Arc::new(Together(Barrier::new(3))));
        let page = check(&checker, &CheckLinks::default()).await.unwrap();
        assert_eq!(page.links.len(), 3);
    }

    #[tokio::test]
    async fn without_links_there_is_nothing_to_check() {
        let fixture = fixture();
        let checker = checker(&fixture, Arc::new(ScriptedProber::default()));
        let page = check(&checker, &CheckLinks::default()).await.unwrap();
        assert_eq!((page.links.len(), page.next), (0, None));
        fixture.file.break_down();
        let failed = check(&checker, &CheckLinks::default()).await;
        assert_matches!(failed, Err(Error::Store(_)));
    }
}
