//! Lists links page by page, in an order of the link store or by visits.

mod visited;

use std::{collections::HashSet, mem};

use slugline_domain::{Link, LinkFilter, LinkKey, Scope};

use self::visited::CallersLists;
pub use self::visited::{
    ListVisited, RangeStart, VisitRange, VisitedLink, VisitedPage, VisitedPosition,
};
use crate::{
    caller::Caller,
    error::Error,
    links::{LinkPage, LinkService, ListLinks},
    named_domains::NamedDomains,
    stats::StatsService,
};

/// Lists links in any order.
#[derive(Clone, Debug)]
pub struct LinkLists {
    links: LinkService,
    stats: StatsService,
}

/// A request for a page, by order.
#[derive(Clone, Debug)]
pub enum ListRequest {
    /// In an order of the link store.
    Stored(ListLinks),
    /// Most visits first.
    Visited(ListVisited),
}

/// A page of either listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListedPage {
    /// In an order of the link store.
    Stored(LinkPage),
    /// Most visits first.
    Visited(VisitedPage),
}

impl ListedPage {
    /// The links of the page, in order.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        let (stored, visited): (&[Link], &[VisitedLink]) = match self {
            Self::Stored(page) => (&page.links, &[]),
            Self::Visited(page) => (&[], &page.links),
        };
        stored
            .iter()
            .chain(visited.iter().map(|visited| &visited.link))
    }
}

impl LinkLists {
    /// Lists these links.
    pub fn new(links: LinkService, stats: StatsService) -> Self {
        Self { links, stats }
    }

    /// Returns one page of links.
    ///
    /// # Errors
    /// The link store failed, or the access log, if the order needs it.
    pub async fn list(&self, caller: &Caller, request: ListRequest) -> Result<ListedPage, Error> {
        let lists = CallersLists {
            links: self.links.seen_by(caller),
            stats: self.stats.seen_by(caller),
        };
        Ok(match request {
            ListRequest::Stored(mut request) => {
                spell(lists.links.domains(), &mut request.filter);
                ListedPage::Stored(lists.links.list(request).await?)
            }
            ListRequest::Visited(mut request) => {
                caller.may(Scope::AnalyticsRead)?;
                spell(lists.links.domains(), &mut request.filter);
                ListedPage::Visited(lists.page(request).await?)
            }
        })
    }
}

/// Links are also listed under the spelling that visitors meet.
fn spell(domains: &NamedDomains, filter: &mut LinkFilter) {
    if let Some(keys) = &mut filter.keys {
        let both = mem::take(keys).into_iter();
        let both: HashSet<LinkKey> = both.flat_map(|key| domains.spellings(key)).collect();
        *keys = both.into_iter().collect();
    }
}

#[cfg(test)]
mod tests {
    use std::{cmp::Reverse, sync::Arc};

    use slugline_domain::{PageSize, RowLimit, StatusFilter, ports::LinkStore};
    use slugline_testkit::{
        ALL, CountedVisits, DeleteByKey, NOON, NOTE, assert_matches, key, link, noted, seconds,
        tag, with,
    };

    use super::{
        visited::{FIRST, THIRTY_DAYS},
        *,
    };
    use crate::links::fixture::{Fixture, fixture};

    struct Lists {
        fixture: Fixture,
        log: Arc<CountedVisits>,
        service: LinkLists,
    }

    impl Lists {
        async fn of(links: &[Link]) -> Self {
            let fixture = fixture().holding_all(links).await;
            let log = Arc::<CountedVisits>::default();
            let links = LinkService::clone(&fixture.links);
            let stats = StatsService::new(log.clone(), links.clone(), fixture.clock.clone());
            let service = LinkLists::new(links, stats);
            Self {
                fixture,
                log,
                service,
            }
        }

        async fn page(&self, request: &ListVisited) -> Result<VisitedPage, Error> {
            let request = ListRequest::Visited(request.clone());
            match self.service.list(&Caller::Site, request).await? {
                ListedPage::Visited(page) => Ok(page),
                ListedPage::Stored(page) => panic!("{page:?}"),
            }
        }

        /// Returns all pages of so many links: slugs and visits.
        async fn pages(&self, size: i64, request: &ListVisited) -> Vec<(String, Option<u64>)> {
            let mut request = with(request.clone(), |it| it.size = PageSize::new(size).unwrap());
            let mut all = Vec::new();
            loop {
                let page = self.page(&request).await.unwrap();
                assert!(page.complete);
                let full = page.links.len() == usize::from(request.size.get());
                assert!(full || page.next.is_none());
                let rows = page.links.into_iter();
                all.extend(rows.map(|row| (row.link.key.slug.to_string(), row.visits)));
                request.after = page.next;
                if request.after.is_none() {
                    return all;
                }
            }
        }
    }

    fn shown(rows: &[(&str, u64)]) -> Vec<(String, Option<u64>)> {
        let rows = rows
            .iter()
            .map(|&(slug, visits)| (slug.to_owned(), Some(visits)));
        rows.collect()
    }

    fn all() -> ListVisited {
        with(ListVisited::default(), |it| {
            it.filter.status = StatusFilter::All;
        })
    }

    #[tokio::test]
    async fn most_visited_come_first_and_links_without_visits_last_newest_first() {
        let lists = Lists::of(&[
            link("old").created(-9).build(),
            link("b").tags(&["t"]).build(),
            link("a").build(),
            link("new").created(-1).tags(&["t"]).build(),
            link("top").expires(-1).build(),
            link("newer").created(-1).build(),
        ])
        .await;
        for (slug, rows) in [("b", 2), ("a", 2), ("top", 3), ("deleted", 9)] {
            lists.log.record(seconds(-5), slug, rows, 1);
        }
        lists.log.record(seconds(-THIRTY_DAYS - 1), "old", 50, 1);
        lists.log.record(seconds(1), "new", 50, 1);
        for size in 1..=7 {
            let rows = lists.pages(size, &all()).await;
            let visited = [("top", 3), ("a", 2), ("b", 2)];
            let expected = [visited, [("newer", 0), ("new", 0), ("old", 0)]].concat();
            assert_eq!(rows, shown(&expected), "by {size}");
        }
        let tagged = with(ListVisited::default(), |it| it.filter.tag = Some(tag("t")));
        let rows = lists.pages(1, &tagged).await;
        assert_eq!(rows, shown(&[("b", 2), ("new", 0)]));
        let named = with(ListVisited::default(), |it| {
            it.filter.keys = Some(["OLD", "a", "unknown"].map(key).into());
            it.start = RangeStart::Ever;
        });
        let rows = lists.pages(5, &named).await;
        assert_eq!(rows, shown(&[("old", 50), ("a", 2)]));
    }

    /// Makes enough links that the log is asked for the most visited of all links.
    async fn many(visited: usize, unvisited: usize) -> (Lists, Vec<(String, Option<u64>)>) {
        let visited = (0..visited).map(|number| format!("v{number:05}"));
        let unvisited = (0..unvisited).map(|number| format!("u{number:05}"));
        let slugs: Vec<String> = visited.clone().chain(unvisited).collect();
        let odd = |slug: &String| slug.ends_with(['1', '3', '5', '7', '9']);
        let links: Vec<Link> = slugs
            .iter()
            .map(|slug| {
                let made = link(slug).created(-5);
                (if odd(slug) { made.tags(&["odd"]) } else { made }).build()
            })
            .collect();
        let lists = Lists::of(&links).await;
        let mut expected = Vec::new();
        for (number, slug) in visited.enumerate() {
            let visits = u64::from(number % 7 == 0) + 1;
            lists
                .log
                .record(NOON, &slug, 1, u32::try_from(visits).unwrap());
            // Deleted links still take part among the visited slugs.
            lists.log.record(NOON, &format!("w{number}"), 1, 1);
            expected.push((slug, Some(visits)));
        }
        expected.sort_by_key(|(slug, visits)| (Reverse(*visits), slug.clone()));
        let rest = slugs.into_iter().rev().filter(|slug| slug.starts_with('u'));
        expected.extend(rest.map(|slug| (slug, Some(0))));
        (lists, expected)
    }

    #[tokio::test]
    async fn pages_of_many_links_have_no_gaps_and_cost_few_questions() {
        let (lists, expected) = many(1_300, 700).await;
        assert_eq!(lists.pages(30, &all()).await, expected);
        lists.log.take_questions();
        let first = lists.page(&all()).await.unwrap();
        let questions = lists.log.take_questions();
        assert_eq!(questions.len(), 1);
        assert_eq!(i64::from(questions[0].limit.get()), FIRST);
        assert!(!first.sampling.exact(), "rows stand for two visits");

        let request = ListVisited {
            filter: with(all().filter, |it| it.tag = Some(tag("odd"))),
            ..all()
        };
        let odd = |slug: &str| slug.ends_with(['1', '3', '5', '7', '9']);
        let rows = lists.pages(999, &request).await;
        let expected: Vec<_> = expected.into_iter().filter(|(slug, _)| odd(slug)).collect();
        assert_eq!(rows, expected);
        assert!(lists.log.take_questions().len() <= 4);
    }

    #[tokio::test]
    async fn visits_and_clocks_that_go_on_do_not_shift_a_later_page() {
        let (lists, expected) = many(600, 10).await;
        let mut request = all();
        let first = lists.page(&request).await.unwrap();
        lists.fixture.clock.advance_seconds(100);
        lists.log.record(seconds(50), "u00000", 1_000, 1);
        let store = &lists.fixture.store;
        store.delete(&key("v00007"), &NOTE).await.unwrap();
        let new = link("new").created(60).build();
        store.insert(&ALL, &new, &noted(seconds(60))).await.unwrap();
        request.after = first.next;
        let second = lists.page(&request).await.unwrap();
        assert_eq!(second.range, first.range);
        let slugs = second.links.iter().map(|row| row.link.key.slug.to_string());
        let expected = expected[20..40].iter().map(|(slug, _)| slug.clone());
        assert_eq!(slugs.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn when_more_slugs_were_visited_than_are_ranked_the_answer_says_so() {
        let made = |number: i64| link(&format!("z{number}")).created(number).build();
        let mut links: Vec<Link> = (0..600).map(made).collect();
        links.push(link("top").created(-9).build());
        let lists = Lists::of(&links).await;
        lists.log.record(NOON, "top", 2, 1);
        lists.log.record(NOON, "z0", 1, 1);
        for number in 0..RowLimit::MAX.get() {
            lists.log.record(NOON, &format!("x{number}"), 1, 1);
        }
        let mut request = with(all(), |it| it.size = PageSize::new(600).unwrap());
        let first = lists.page(&request).await.unwrap();
        assert!(!first.complete);
        let slugs_and_visits = |page: &VisitedPage| -> Vec<(String, Option<u64>)> {
            let rows = page.links.iter();
            rows.map(|row| (row.link.key.slug.to_string(), row.visits))
                .collect()
        };
        let rows = slugs_and_visits(&first);
        assert_eq!(rows[0], ("top".to_owned(), Some(2)));
        assert_eq!(rows[1], ("z599".to_owned(), None));
        request.after = first.next;
        let last = lists.page(&request).await.unwrap();
        assert_eq!(slugs_and_visits(&last), [("z0".to_owned(), None)]);

        // Few enough links that they are looked up by name.
        let few = Some(vec![key("z0"), key("z1")]);
        let few = with(all(), |it| it.filter.keys = few);
        let page = lists.page(&few).await.unwrap();
        let expected = [("z0".to_owned(), Some(1)), ("z1".to_owned(), Some(0))];
        assert_eq!(slugs_and_visits(&page), expected);
        assert!(page.complete);
    }

    #[tokio::test]
    async fn an_end_in_the_future_is_now_and_a_start_is_kept() {
        let lists = Lists::of(&[]).await;
        let range = async |start, until| {
            let request = ListVisited {
                start,
                until,
                ..all()
            };
            lists.page(&request).await.unwrap().range
        };
        let thirty_days_before = |until| VisitRange {
            from: Some(seconds(until - THIRTY_DAYS)),
            until: seconds(until),
        };
        let usual = RangeStart::ThirtyDays;
        assert_eq!(range(usual, None).await, thirty_days_before(0));
        assert_eq!(range(usual, Some(seconds(9))).await, thirty_days_before(0));
        let earlier = range(usual, Some(seconds(-9))).await;
        assert_eq!(earlier, thirty_days_before(-9));
        assert_eq!(range(RangeStart::Ever, None).await.from, None);
        let at = seconds(-1);
        assert_eq!(range(RangeStart::At(at), None).await.from, Some(at));
    }

    #[tokio::test]
    async fn a_log_that_fails_gives_no_other_order() {
        let lists = Lists::of(&[link("a").build()]).await;
        lists.log.break_down();
        assert_matches!(lists.page(&all()).await, Err(Error::VisitLog(_)));
    }
}
