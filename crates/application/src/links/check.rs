//! Checking whether links still lead somewhere, page by page.

use std::sync::Arc;

use slugline_domain::{
    CheckSize, Destination, Link, LinkOrder, PageSize, Position, ProbeCaller, ProbeOutcome,
    ProbeRequest, ProbeTimeout, Slug, StatusFilter, UnixMillis,
    ports::{Clock, LinkProber},
};
use tokio::task::JoinSet;

use super::{LinkService, ListLinks};
use crate::Error;

/// A request to check some links.
#[derive(Clone, Debug, Default)]
pub struct CheckLinks {
    /// Links to check, at most.
    pub size: CheckSize,
    /// Time for each destination; all are asked at the same time.
    pub timeout: ProbeTimeout,
    /// Only links after this place.
    pub after: Option<Position>,
    /// What destinations are told of the caller.
    pub caller: ProbeCaller,
}

/// Some links with what their destinations answered, and where to continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedPage {
    /// The links in order.
    pub links: Vec<CheckedLink>,
    /// The place to continue from; none when all links were checked.
    pub next: Option<Position>,
}

/// One link and what its destination answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedLink {
    /// The link's slug.
    pub slug: Slug,
    /// Where it leads when nothing of a visitor says otherwise.
    pub destination: Destination,
    /// The answer.
    pub outcome: ProbeOutcome,
    /// When the answer was there.
    pub checked_at: UnixMillis,
}

/// Checks links.
#[derive(Clone, Debug)]
pub struct LinkChecker {
    links: LinkService,
    prober: Arc<dyn LinkProber>,
    clock: Arc<dyn Clock>,
}

impl LinkChecker {
    /// Checks these links with this prober.
    pub fn new(links: LinkService, prober: Arc<dyn LinkProber>, clock: Arc<dyn Clock>) -> Self {
        Self {
            links,
            prober,
            clock,
        }
    }

    /// Asks the destinations of one page of all links, expired ones too, by
    /// slug ascending. When the caller goes away, so do the probes.
    ///
    /// # Errors
    /// Preview mode, or the store failed. A destination that does not answer is no error but a
    /// result.
    pub async fn check(&self, request: CheckLinks) -> Result<CheckedPage, Error> {
        self.links.may_check()?;
        let page = ListLinks {
            size: PageSize::new(request.size.get().into()).expect("fewer links than on a page"),
            order: LinkOrder::SlugAscending,
            status: StatusFilter::All,
            tag: None,
            after: request.after,
        };
        let page = self.links.list(page).await?;
        let mut probes = JoinSet::new();
        for (place, link) in page.links.into_iter().enumerate() {
            let (this, caller) = (self.clone(), request.caller.clone());
            probes.spawn(async move {
                let checked = this.check_one(link, request.timeout, caller).await;
                (place, checked)
            });
        }
        let mut links = probes.join_all().await;
        links.sort_by_key(|(place, _)| *place);
        Ok(CheckedPage {
            links: links.into_iter().map(|(_, checked)| checked).collect(),
            next: page.next,
        })
    }

    async fn check_one(
        &self,
        link: Link,
        timeout: ProbeTimeout,
        caller: ProbeCaller,
    ) -> CheckedLink {
        let destination = link.content.destination;
        let probe = ProbeRequest {
            destination: destination.clone(),
            timeout,
            caller,
        };
        CheckedLink {
            outcome: self.prober.probe(probe).await,
            slug: link.slug,
            destination,
            checked_at: self.clock.now(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use async_trait::async_trait;
    use slugline_domain::{ProbeFailure, ports::LinkStore};
    use slugline_testkit::{NOON, ScriptedProber, link};
    use tokio::sync::Barrier;

    use super::*;
    use crate::links::fixture::{House, house};

    async fn house_with_links(slugs: &[&str]) -> House {
        let house = house();
        for name in slugs {
            let link = link(name)
                .to(&format!("https://{name}.example/"))
                .expires(-1);
            house.store.insert(&link.build(), NOON).await.unwrap();
        }
        house
    }

    fn checker(house: &House, prober: Arc<dyn LinkProber>) -> LinkChecker {
        LinkChecker::new(house.links.clone(), prober, house.clock.clone())
    }

    #[tokio::test]
    async fn all_links_are_checked_by_slug_with_what_each_answered() {
        let house = house_with_links(&["c", "a", "b"]).await;
        let prober = Arc::new(ScriptedProber::default());
        prober.answer("https://b.example/", Err(ProbeFailure::NotAllowed));
        prober.answer("https://c.example/", Ok(404));
        let checker = checker(&house, prober.clone());
        let mut request = CheckLinks {
            size: CheckSize::new(2).unwrap(),
            timeout: ProbeTimeout::from_seconds(9).unwrap(),
            caller: ProbeCaller {
                accept_language: Some("de".into()),
                user_agent: None,
            },
            after: None,
        };
        let first = checker.check(request.clone()).await.unwrap();
        request.after.clone_from(&first.next);
        assert!(request.after.is_some());
        let second = checker.check(request.clone()).await.unwrap();
        assert_eq!(second.next, None);

        let seen: Vec<_> = [&first, &second]
            .into_iter()
            .flat_map(|page| &page.links)
            .map(|link| {
                (
                    link.slug.as_str(),
                    link.outcome.result.clone(),
                    link.checked_at,
                )
            })
            .collect();
        let noon = NOON.start();
        assert_eq!(
            seen,
            [
                ("a", Ok(200), noon),
                ("b", Err(ProbeFailure::NotAllowed), noon),
                ("c", Ok(404), noon)
            ]
        );
        for asked in prober.asked() {
            assert_eq!(
                (asked.timeout, asked.caller),
                (request.timeout, request.caller.clone())
            );
        }
    }

    /// Answers when all three are being asked.
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
        let house = house_with_links(&["a", "b", "c"]).await;
        let checker = checker(&house, Arc::new(Together(Barrier::new(3))));
        let page = checker.check(CheckLinks::default()).await.unwrap();
        assert_eq!(page.links.len(), 3);
    }

    #[tokio::test]
    async fn without_links_there_is_nothing_to_check() {
        let house = house();
        let checker = checker(&house, Arc::new(ScriptedProber::default()));
        let page = checker.check(CheckLinks::default()).await.unwrap();
        assert_eq!((page.links.len(), page.next), (0, None));
        house.store.break_down();
        assert!(matches!(
            checker.check(CheckLinks::default()).await,
            Err(Error::Store(_))
        ));
    }
}
